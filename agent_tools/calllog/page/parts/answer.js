// The model's answers: which numbers stand in no prompt, which results they rest on.

const { h, visible, plain, asText, count, many } = page;

const escapePattern = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Return the answer's text with the numbers marked that stand in no prompt. */
const markNumbers = (text, numbers) => {
  const known = [...new Set(numbers.filter((number) => typeof number === 'string' && number))].sort((a, b) => b.length - a.length);
  if (!known.length) return visible(text);
  // a number inside a longer one, or inside a word, is another one
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}_]|\\p{N}[.,])(?:${known.map(escapePattern).join('|')})(?![\\p{N}_]|[.,]\\p{N})`, 'gu');
  const nodes = [];
  let at = 0;
  for (const match of text.matchAll(pattern)) {
    nodes.push(visible(text.slice(at, match.index)), h('mark', { title: 'stands in no prompt of this trace' }, visible(match[0])));
    at = match.index + match[0].length;
  }
  nodes.push(visible(text.slice(at)));
  return nodes;
};

const asList = (value) => (Array.isArray(value) ? value : []);

const callLinks = (title, ids, context) => {
  if (!ids.length) return null;
  const links = ids.slice(0, 40).map((id) => {
    const index = context.calls.findIndex(({ row }) => row.result_id === id || row.call_id === id);
    return index < 0 ? h('code', null, plain(id)) : h('button', { type: 'button', title: plain(id), click: () => context.open(index) }, `${plain(context.calls[index].row.tool)} no. ${context.calls[index].row.seq ?? index + 1}`);
  });
  return h('div', { class: 'links' }, h('span', null, title), links);
};

const verdict = (row) => {
  if (!Array.isArray(row.numbers_unsupported)) return h('p', { class: 'verdict' }, 'Whether its numbers stand in a prompt is not known: the log does not hold all prompts.');
  const n = row.numbers_unsupported.length;
  if (!n) return h('p', { class: 'verdict', 'data-status': 'success' }, '✓ Every number of it stands in a prompt of this trace.');
  return h('p', { class: 'verdict', 'data-status': 'error' }, `✕ ${many(n, 'number')} ${n === 1 ? 'stands' : 'stand'} in no prompt of this trace: `, h('code', null, row.numbers_unsupported.map(plain).join(', ')));
};

const makeAnswer = (row, n, context) => {
  const usage = [['in', row.tokens_in], ['out', row.tokens_out]].filter(([, value]) => page.isNumber(value)).map(([name, value]) => `${count(value)} tokens ${name}`);
  const facts = [plain(row.model), plain(row.finish_reason), ...usage, `${plain(row.ts).slice(11, 19)} UTC`, page.isNumber(row.calls_n) ? `after ${many(row.calls_n, 'call')}` : ''].filter(Boolean);
  return h('section', { class: 'card', 'aria-labelledby': `answer-${n}` },
    h('h2', { id: `answer-${n}` }, context.answers.length > 1 ? `Answer ${n + 1}` : 'The answer'),
    asText(row.answer) ? h('p', { class: 'answer-text', dir: 'auto', tabindex: '0' }, markNumbers(row.answer, asList(row.numbers_unsupported))) : h('p', { class: 'hint' }, 'The log does not hold its text.'),
    verdict(row),
    callLinks('rests on', asList(row.used_result_ids), context),
    callLinks('does not use', asList(row.unused_result_ids), context),
    h('ul', { class: 'facts' }, facts.map((fact) => h('li', null, fact))));
};

// a process that is one trace answers many times; the calls shall not be far below
const SHOWN = 3;

/** Return the answers, the latest last and the earlier ones folded. */
const makeAnswers = (context) => {
  const cards = context.answers.map((row, n) => makeAnswer(row, n, context));
  const earlier = cards.slice(0, -SHOWN);
  return [earlier.length ? h('details', { class: 'earlier' }, h('summary', null, many(earlier.length, 'earlier answer')), earlier) : null, cards.slice(-SHOWN)];
};

Object.assign(page, { makeAnswers });
