// Statistics: calls over time, how long they took, what was cut, as charts and as tables.

const { h, plain, count, short, duration, percent, overTime, byName, many } = page;

const CHARTED = 14;

const table = (label, heads, rows) => h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': label },
  h('table', null,
    h('caption', { class: 'away' }, label),
    h('thead', null, h('tr', null, heads.map((head, n) => h('th', { scope: 'col', class: n ? 'right' : null }, head)))),
    h('tbody', null, rows.map((cells) => h('tr', null, cells.map((cell, n) => (cell instanceof Node ? cell : h('td', { class: n ? 'right' : null }, cell))))))));

const toned = (value, tone) => h('td', { class: 'right', 'data-status': value ? tone : null }, count(value));

const toolTable = ({ tools, tools_n: n }) => h('section', { class: 'card' }, h('h2', null, 'Tools'),
  table('Tools', ['tool', 'calls', 'errors', 'error share', 'empty', 'cut', 'repeats', 'p50', 'p95', 'tokens'], tools.map((tool) => [
    plain(tool.tool) || '(no name)', count(tool.calls), toned(tool.errors, 'error'), percent(tool.error_rate), toned(tool.empty, 'empty'),
    toned(tool.cut, 'partial'), toned(tool.repeats, 'cancelled'), duration(tool.p50_ms), duration(tool.p95_ms), count(tool.tokens),
  ])),
  n > tools.length ? h('p', { class: 'hint' }, `${many(n - tools.length, 'tool')} more with fewer calls`) : null);

const codeTable = ({ codes }) => (codes.length ? h('section', { class: 'card' }, h('h2', null, 'Error codes'),
  table('Error codes', ['code', 'calls'], codes.map(({ code, calls }) => [h('td', { 'data-status': 'error' }, plain(code)), count(calls)]))) : null);

const tile = (value, name, tone) => h('li', null, h('div', { class: 'tile', 'data-status': tone || null }, h('b', null, value), h('span', null, name)));

const tilesOf = ({ whole }) => h('ul', { class: 'tiles' },
  tile(short(whole.calls), 'calls'), tile(percent(whole.error_rate), 'failed', whole.errors ? 'error' : ''),
  tile(percent(whole.calls ? whole.empty / whole.calls : 0), 'found nothing', whole.empty ? 'empty' : ''),
  tile(percent(whole.cut_share), 'cut', whole.cut ? 'partial' : ''), tile(short(whole.repeats), 'repeats', whole.repeats ? 'cancelled' : ''),
  tile(duration(whole.p50_ms) || '–', 'median time'), tile(duration(whole.p95_ms) || '–', '95 % are faster'), tile(short(whole.tokens), 'tokens shown'));

const chartsOf = (stats) => {
  const { time, whole } = stats;
  const tools = stats.tools.slice(0, CHARTED);
  const names = tools.map(({ tool }) => tool);
  const of = (name) => tools.map((tool) => tool[name]);
  const layers = [['failed', 'error', time.error], ['found nothing', 'empty', time.empty], ['partial', 'partial', time.partial], ['cancelled', 'cancelled', time.cancelled], ['worked', 'success', time.success]]
    .filter(([, , values]) => values.some(Boolean));
  return h('div', { class: 'charts' },
    overTime({ title: 'Calls and errors over time', summary: `${many(whole.calls, 'call')}, ${many(whole.errors, 'error')}`, time, layers, unit: 'calls' }),
    overTime({ title: 'Tokens shown to the model', summary: `${count(whole.tokens)} tokens in all`, time, layers: [['tokens', 'partial', time.tokens]], unit: 'tokens' }),
    byName({ title: 'How long calls take', summary: 'median and 95th percentile by tool, see the table of tools', names, layers: [['95 % are faster than', 'partial', of('p95_ms'), true], ['median', 'partial', of('p50_ms')]], show: duration, isLog: true }),
    byName({ title: 'Share of results that were cut', summary: 'by tool, see the table of tools', names, layers: [['cut', 'empty', of('cut_share')]], show: percent }));
};

const makeStatistics = (stats) => {
  if (!stats.whole.calls) return h('p', { class: 'note' }, 'There are no calls in this period.');
  return h('div', null, tilesOf(stats), stats.time.t.length ? chartsOf(stats) : null, toolTable(stats), codeTable(stats));
};

const periodsOf = (payload) => (payload.periods ? h('div', { class: 'periods', role: 'group', 'aria-label': 'Period' },
  payload.periods.map((period) => h('a', { href: `${payload.links.stats}?since=${encodeURIComponent(period)}`, 'aria-current': period === payload.period || (period === 'all' && payload.period === 'all days') ? 'page' : null }, period === 'all' ? 'all days' : `last ${period}`))) : null);

const showStatistics = (main, payload) => {
  main.replaceChildren(h('div', { class: 'head' }, h('h1', null, 'Statistics'), periodsOf(payload) || h('p', { class: 'hint' }, plain(payload.stats.scope))), makeStatistics(payload.stats));
  page.redraw();
};

Object.assign(page, { makeStatistics, showStatistics });
