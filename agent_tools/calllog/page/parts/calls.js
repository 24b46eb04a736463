// What is to be said of a call, and which calls a filter lets through.

const { isNumber, percent, plain } = page;

const GLYPHS = { success: '✓', empty: '∅', partial: '◐', error: '✕', cancelled: '⊘', unended: '…' };

const statusOf = (call) => {
  if (!call.ended) return 'unended';
  return Object.hasOwn(GLYPHS, call.row.status) ? call.row.status : 'success';
};

const asText = (value) => (typeof value === 'string' ? value : '');

/** Read the prompt as JSON; the formats csv, text, markdown and yaml have it in their first line. */
const readPrompt = (text) => {
  for (const part of [text, text.split('\n', 1)[0]]) {
    try {
      const value = JSON.parse(part);
      if (value && typeof value === 'object') return { value, body: part === text ? '' : text.slice(part.length + 1) };
    } catch { continue; }
  }
  return null;
};

const envelopeOf = (call) => {
  if (call.envelope === undefined) call.envelope = readPrompt(asText(call.row.prompt))?.value ?? null;
  return call.envelope;
};
const metaOf = (call) => {
  const meta = envelopeOf(call)?.meta;
  return meta && typeof meta === 'object' ? meta : {};
};

/** What share of the result the model saw; null when it is not known. */
const shownShare = ({ row }) => {
  if (isNumber(row.tokens_full) && isNumber(row.tokens) && row.tokens_full > row.tokens) return row.tokens / row.tokens_full;
  if (isNumber(row.result_total) && isNumber(row.result_rows) && row.result_total > row.result_rows) return row.result_rows / row.result_total;
  return null;
};

const redactions = (call) => (Array.isArray(call.row.redacted) ? call.row.redacted.length : 0) + (isNumber(metaOf(call).redactions) ? metaOf(call).redactions : 0);

const IS = {
  error: (call) => statusOf(call) === 'error',
  empty: (call) => statusOf(call) === 'empty',
  partial: (call) => statusOf(call) === 'partial',
  cancelled: (call) => statusOf(call) === 'cancelled',
  unended: (call) => !call.ended,
  cut: (call) => call.row.truncated === true,
  repeat: (call) => isNumber(call.row.repeat_n) && call.row.repeat_n > 1,
  redacted: (call) => redactions(call) > 0,
  action: (call) => call.row.side_effect === true,
};

const flagsOf = (call) => {
  const { row } = call;
  const flags = [];
  if (row.error_code) flags.push([plain(row.error_code), IS.cancelled(call) ? 'cancelled' : 'error']);
  if (IS.empty(call)) flags.push(['nothing found', 'empty']);
  if (IS.unended(call)) flags.push(['never ended', 'unended']);
  if (IS.cancelled(call) && !row.error_code) flags.push(['cancelled', 'cancelled']);
  if (IS.cut(call)) {
    const share = shownShare(call);
    flags.push([share === null ? 'cut' : `cut to ${percent(share)}`, 'partial']);
  }
  if (IS.repeat(call)) flags.push([`repeat no. ${row.repeat_n}`, 'cancelled']);
  if (IS.redacted(call)) flags.push([`${redactions(call)} hidden`, '']);
  if (row.cached === true) flags.push(['cached', '']);
  return flags;
};

const SEARCHED = ['tool', 'status', 'error_code', 'error_message', 'error_class', 'result_summary', 'call_id', 'prompt'];
const haystack = (call) => {
  if (call.haystack === undefined) {
    const parts = SEARCHED.map((name) => asText(call.row[name]));
    call.haystack = [...parts, JSON.stringify(call.row.arguments ?? '')].join('\n').toLowerCase();
  }
  return call.haystack;
};

const COLUMNS = { tool: 'tool', status: 'status', code: 'error_code', id: 'call_id', result: 'result_id', class: 'error_class' };

const makeTest = (word) => {
  const [, name, value] = /^(\w+):(.+)$/.exec(word) || [];
  if (name === 'is' && Object.hasOwn(IS, value)) return IS[value];
  if (name && Object.hasOwn(COLUMNS, name)) return (call) => asText(call.row[COLUMNS[name]]).toLowerCase().includes(value);
  const [, sign, number] = /^ms([<>])(\d+(?:\.\d+)?)$/.exec(word) || [];
  if (sign) return (call) => (sign === '>' ? call.row.elapsed_ms > Number(number) : call.row.elapsed_ms < Number(number));
  return (call) => haystack(call).includes(word);
};

/** Make one test of a filter: all words must hold; "two words" in quotes are one; a minus turns a word around. */
const makeFilter = (text) => {
  const words = text.toLowerCase().match(/-?"[^"]+"|\S+/g) || [];
  const tests = words.map((word) => {
    const isNot = word.length > 1 && word.startsWith('-');
    const test = makeTest((isNot ? word.slice(1) : word).replace(/^"(.*)"$/, '$1'));
    return isNot ? (call) => !test(call) : test;
  });
  return (call) => tests.every((test) => test(call));
};

Object.assign(page, { GLYPHS, statusOf, flagsOf, makeFilter, IS, readPrompt, metaOf, envelopeOf, shownShare, asText });
