// A prompt, arguments or a traceback: as text, as JSON with its parts told apart, or as a table.

const { h, visible, plain, readPrompt, many } = page;

const MAX_ROWS = 300;
const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|\b(true|false|null)\b/g;

const textBlock = (text, label) => h('pre', { tabindex: '0', 'aria-label': label, dir: 'auto' }, visible(text));

/** Indent JSON and tell keys, strings, numbers and atoms apart. */
const jsonNodes = (value) => {
  const text = JSON.stringify(value, null, 2) ?? '';
  const nodes = [];
  let at = 0;
  for (const match of text.matchAll(TOKEN)) {
    if (match.index > at) nodes.push(text.slice(at, match.index));
    const [whole, string, colon, number] = match;
    const kind = string ? (colon ? 'key' : 'string') : number ? 'number' : 'atom';
    nodes.push(h('span', { class: `json-${kind}` }, visible(string ?? whole)), colon ?? '');
    at = match.index + whole.length;
  }
  nodes.push(text.slice(at));
  return nodes;
};
const jsonBlock = (value, label, body = '') => h('pre', { tabindex: '0', 'aria-label': label }, jsonNodes(value), body ? ['\n\n', visible(body)] : []);

const isRecord = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);

/** Find rows in an envelope: {columns, rows} or a list of records. */
const findTable = (data) => {
  if (isRecord(data) && Array.isArray(data.columns) && Array.isArray(data.rows)) return { columns: data.columns.map(String), rows: data.rows };
  if (!Array.isArray(data) || !data.length || !data.every(isRecord)) return null;
  const columns = [...new Set(data.flatMap(Object.keys))].slice(0, 60);
  return { columns, rows: data.map((record) => columns.map((name) => record[name])) };
};

const cellText = (value) => (typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value));
const tableBlock = ({ columns, rows }, label) => {
  const shown = rows.slice(0, MAX_ROWS);
  const cells = (row) => (Array.isArray(row) ? row : [row]).map((value) => h('td', {
    class: typeof value === 'number' ? 'right' : value === null || value === undefined ? 'gone' : null,
    title: plain(cellText(value)),
  }, visible(cellText(value))));
  return h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': label },
    h('table', null,
      h('thead', null, h('tr', null, columns.map((name) => h('th', { scope: 'col' }, visible(name))))),
      h('tbody', null, shown.map((row) => h('tr', null, cells(row))))),
    rows.length > shown.length ? h('p', { class: 'hint' }, `${many(rows.length - shown.length, 'row')} more in the JSON view`) : null);
};

// the way of looking that was chosen last holds for the next call, too
let chosen = 'text';

/** Return a text with a choice of how to look at it. */
const promptBlock = (title, text, hint) => {
  const read = readPrompt(text);
  const table = read ? findTable(isRecord(read.value) && 'data' in read.value ? read.value.data : read.value) : null;
  const ways = { text: () => textBlock(text, title) };
  if (read) ways.json = () => jsonBlock(read.value, title, read.body);
  if (table) ways.table = () => tableBlock(table, title);
  const names = { text: 'Text', json: 'JSON', table: 'Table' };
  const holder = h('div');
  const buttons = Object.keys(ways).map((way) => h('button', { type: 'button', 'data-way': way, click: () => show(way, true) }, names[way]));
  const show = (way, isChoice) => {
    if (isChoice) chosen = way;
    holder.replaceChildren(ways[way]());
    for (const button of buttons) button.setAttribute('aria-pressed', String(button.dataset.way === way));
  };
  show(chosen in ways ? chosen : 'text', false);
  const element = h('section', { class: 'part' },
    h('div', { class: 'part-head' }, h('h3', null, title),
      buttons.length > 1 ? h('div', { class: 'tabs', role: 'group', 'aria-label': 'Look at it as' }, buttons) : null,
      h('span', { class: 'hint' }, hint)),
    holder);
  const next = () => {
    const at = Object.keys(ways);
    const now = buttons.find((button) => button.getAttribute('aria-pressed') === 'true')?.dataset.way ?? 'text';
    show(at[(at.indexOf(now) + 1) % at.length], true);
  };
  return { element, next };
};

Object.assign(page, { textBlock, jsonBlock, promptBlock });
