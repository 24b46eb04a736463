// The latest traces of a log, with what went wrong in each.

const { h, plain, count, clock, duration, many } = page;

const flag = (n, word, tone) => (n ? h('span', { class: 'flag', 'data-status': tone }, `${count(n)} ${word}`) : null);

const makeRow = (trace, links) => {
  const name = plain(trace.name) || `trace ${plain(trace.id).slice(0, 8)}`;
  // an id of another shape has no page
  const head = links.trace && /^[0-9a-f]{32}$/.test(trace.id) ? h('a', { href: links.trace + trace.id }, name) : name;
  return h('tr', null,
    h('td', null, clock(trace.end)),
    h('td', { title: name }, head),
    h('td', null, h('span', { class: 'flags' }, flag(trace.errors, 'failed', 'error'), flag(trace.empty, 'empty', 'empty'), flag(trace.cut, 'cut', 'partial'), flag(trace.unsupported, 'unsupported', 'error'))),
    h('td', { class: 'right' }, count(trace.calls)),
    h('td', { class: 'right' }, duration((trace.end - trace.start) * 1000)),
    h('td', { class: 'right' }, count(trace.answers)),
    h('td', null, plain(trace.conversation)));
};

const showTraces = (main, payload) => {
  const rows = payload.traces.map((trace) => ({ element: makeRow(trace, payload.links), text: JSON.stringify(trace).toLowerCase() }));
  const shown = h('p', { class: 'shown', role: 'status' });
  const filter = h('input', { class: 'filter', id: 'filter', type: 'search', placeholder: 'Filter by name, id or conversation  ( / )', 'aria-label': 'Filter traces', autocomplete: 'off', spellcheck: 'false', input: () => apply() });
  const apply = () => {
    const wanted = filter.value.trim().toLowerCase();
    for (const row of rows) row.element.hidden = !row.text.includes(wanted);
    shown.textContent = many(rows.filter((row) => !row.element.hidden).length, 'trace');
  };
  const heads = ['ended (UTC)', 'trace', 'what to look at', 'calls', 'length', 'answers', 'conversation'];
  main.replaceChildren(
    h('div', { class: 'head' }, h('h1', null, 'Latest traces'), payload.is_all ? null : h('p', { class: 'hint' }, 'Older ones are found by their id: agent-tools logs html ID')),
    rows.length ? h('div', { class: 'bar-top' }, filter, shown) : h('p', { class: 'note' }, 'Nothing was logged yet.'),
    h('div', { class: 'scroll' }, h('table', null,
      h('thead', null, h('tr', null, heads.map((head, n) => h('th', { scope: 'col', class: n >= 3 && n <= 5 ? 'right' : null }, head)))),
      h('tbody', null, rows.map((row) => row.element)))));
  apply();
  page.escape = () => { filter.value = ''; apply(); };
  page.move = (by) => {
    const links = rows.filter((row) => !row.element.hidden).map((row) => row.element.querySelector('a')).filter(Boolean);
    const at = links.indexOf(document.activeElement);
    links[Math.min(Math.max(at + by, 0), links.length - 1)]?.focus();
  };
};

Object.assign(page, { showTraces });
