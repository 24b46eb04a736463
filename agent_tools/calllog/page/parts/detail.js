// One call in full: what was asked, what came out, what the model saw, what is odd about it.

const { h, visible, plain, isNumber, count, duration, percent, statusOf, metaOf, shownShare, asText, IS } = page;

const said = (tone, head, ...more) => h('div', { class: 'said', 'data-status': tone || null }, h('b', null, head), ...more);
const more = (...children) => h('p', { class: 'more' }, ...children);
const yesNo = (value) => (value === true ? 'may help' : value === false ? 'will not help' : '');

const sayError = ({ row }) => {
  if (!row.error_code && !row.error_message) return null;
  const facts = [
    ['calling it again', yesNo(row.retryable)], ['next', row.recovery], ['effect', row.outcome], ['at fault', row.error_origin],
    ['wait', isNumber(row.retry_after_s) ? `${row.retry_after_s} s` : ''], ['raised', row.error_class], ['detail', row.sub_code],
  ].filter(([, value]) => value);
  return said(row.status === 'cancelled' ? 'cancelled' : 'error', plain(row.error_code) || 'Error',
    row.error_message ? h('p', null, visible(asText(row.error_message))) : null,
    facts.length ? more(facts.map(([name, value]) => `${name}: ${plain(value)}`).join(' · ')) : null);
};

const sayEmpty = (call) => (IS.empty(call) ? said('empty', 'It worked and found nothing.') : null);

const sayUnended = (call) => (call.ended ? null : said('unended', 'It began and never ended, as far as the log goes.', more('The process may have been killed, or the call still runs.')));

const sayCut = (call) => {
  const { row } = call;
  if (!IS.cut(call)) return null;
  const share = shownShare(call);
  const rows = isNumber(row.result_total) && isNumber(row.result_rows) ? `${count(row.result_rows)} of ${count(row.result_total)} rows` : '';
  const tokens = isNumber(row.tokens) && isNumber(row.tokens_full) ? `${count(row.tokens)} of about ${count(row.tokens_full)} tokens` : '';
  const cut = Array.isArray(metaOf(call).cut) ? metaOf(call).cut : [];
  return said('partial', 'The model did not see all of it.',
    share === null ? null : h('meter', { min: '0', max: '1', value: share, 'aria-label': `share that was shown: ${percent(share)}` }),
    rows || tokens ? more(`It saw ${[rows, tokens].filter(Boolean).join(', ')}${share === null ? '' : ` (${percent(share)})`}; the budget is ${count(row.max_tokens) || 'unknown'}.`) : null,
    cut.slice(0, 20).map((part) => more(h('code', null, plain(part?.path ?? '$')), ` ${count(part?.shown)} of ${count(part?.total)}`)),
    row.result_id ? more('The whole result is kept as ', h('code', null, plain(row.result_id))) : null);
};

const sayRepeat = (call, context) => {
  if (!IS.repeat(call)) return null;
  const first = context.calls.findIndex((other) => other.row.input_hash && other.row.input_hash === call.row.input_hash);
  const isElsewhere = first >= 0 && context.calls[first] !== call;
  return said('cancelled', `Call no. ${call.row.repeat_n} with the very same arguments.`,
    isElsewhere ? h('div', { class: 'links' }, h('button', { type: 'button', click: () => context.open(first) }, 'show the first')) : null);
};

const sayHidden = (call) => {
  if (!IS.redacted(call)) return null;
  const paths = Array.isArray(call.row.redacted) ? call.row.redacted : [];
  const inside = metaOf(call).redactions;
  return said('', 'Hidden before anybody saw it.',
    paths.length ? more('Arguments and result: ', paths.slice(0, 20).map((path) => [h('code', null, plain(path)), ' '])) : null,
    isNumber(inside) ? more(`${page.many(inside, 'place')} in the result`) : null);
};

const sayCapped = ({ row }) => (row.log_capped === true ? said('', 'This record of the log leaves something out.', more('The model saw the whole text; the log keeps the first and last part of a long one.')) : null);

const sizeHint = ({ row }) => [
  isNumber(row.tokens) ? `${count(row.tokens)} tokens${row.tokens_exact === false ? ' (not counted exactly)' : ''}` : '',
  isNumber(row.max_tokens) ? `budget ${count(row.max_tokens)}` : '',
  asText(row.format) && row.format !== 'auto' ? plain(row.format) : '',
].filter(Boolean).join(' · ');

const moreOf = (title, content) => h('details', null, h('summary', null, title), content);

const SHOWN = new Set(['prompt', 'arguments', 'traceback', 'error_message', 'tool', 'status']);
const columnsOf = (row) => h('dl', { class: 'columns' }, Object.entries(row).filter(([name]) => !SHOWN.has(name))
  .map(([name, value]) => [h('dt', null, plain(name)), h('dd', null, visible(typeof value === 'string' ? value : JSON.stringify(value)))]));

const timing = ({ row, start }) => [
  `began ${duration(start) || '0 ms'} into the trace`,
  isNumber(row.elapsed_ms) ? `took ${duration(row.elapsed_ms)}` : '',
  row.wait_ms ? `${duration(row.wait_ms)} of it waiting` : '',
  row.attempts > 1 ? `${row.attempts} attempts` : '',
  asText(row.ts) ? `${plain(row.ts).slice(0, 23).replace('T', ' ')} UTC` : '',
].filter(Boolean);

/** Return the panel of a call and what changes its way of looking. */
const makeDetail = (call, index, context) => {
  const { row } = call;
  const status = statusOf(call);
  const prompt = typeof row.prompt === 'string'
    ? page.promptBlock('What the model saw', row.prompt, sizeHint(call))
    : { element: h('section', { class: 'part' }, h('h3', null, 'What the model saw'), h('p', { class: 'hint' }, call.ended ? 'The log does not hold the text.' : 'Nothing yet.')), next: () => {} };
  const step = (by, label, sign) => h('button', { class: 'quiet', type: 'button', title: label, 'aria-label': label, click: () => context.step(by) }, sign);
  const head = h('div', { class: 'detail-head' },
    h('span', { class: 'badge', 'data-status': status }, status === 'unended' ? 'never ended' : status),
    h('h2', { id: 'detail-title' }, plain(row.tool) || '(no name)'),
    step(-1, 'previous call', '↑'), step(1, 'next call', '↓'),
    h('button', { class: 'quiet', type: 'button', 'aria-label': 'close', click: context.close }, '✕'));
  const body = h('div', { class: 'detail-body' },
    h('ul', { class: 'facts' }, timing(call).map((fact) => h('li', null, fact)), h('li', null, h('code', null, plain(row.call_id)))),
    [sayError(call), sayUnended(call), sayEmpty(call), sayCut(call), sayRepeat(call, context), sayHidden(call), sayCapped(call)],
    'arguments' in row ? h('section', { class: 'part' }, h('h3', null, 'Arguments'), page.jsonBlock(row.arguments, 'Arguments')) : null,
    prompt.element,
    call.views.map((view) => page.promptBlock(`The view for ${plain(view.prompt_view) || 'another reader'}`, asText(view.prompt), sizeHint({ row: view })).element),
    asText(row.traceback) ? moreOf('Traceback', page.textBlock(row.traceback, 'Traceback')) : null,
    moreOf('Everything else in the record', columnsOf(row)));
  return { element: [head, body], next: prompt.next };
};

Object.assign(page, { makeDetail });
