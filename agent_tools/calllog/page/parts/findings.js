// What the rows say to the three questions about a wrong answer.

const { h, visible } = page;

const makeFinding = ({ sentence, evidence, alarming }) => h('li', { 'data-status': alarming ? 'error' : null },
  evidence.length ? h('details', null, h('summary', null, visible(sentence)), h('ul', { class: 'evidence' }, evidence.map((line) => h('li', null, visible(line))))) : visible(sentence));

const makeFindings = (findings) => {
  if (!findings.length) return null;
  const questions = [...new Set(findings.map(({ question }) => question))];
  return h('section', { class: 'card', 'aria-labelledby': 'findings' }, h('h2', { id: 'findings' }, 'What stands out'),
    h('div', { class: 'questions' }, questions.map((question) => h('div', null, h('h3', null, visible(question)),
      h('ul', { class: 'found' }, findings.filter((finding) => finding.question === question).map(makeFinding))))));
};

Object.assign(page, { makeFindings });
