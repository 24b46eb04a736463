// The page itself: what it shows, its keys.

const { h, plain, count, short, duration, clock, many, makeFilter, IS, statusOf } = page;

const main = document.getElementById('main');
const nav = document.getElementById('nav');
const help = document.getElementById('help');
const payload = JSON.parse(document.getElementById('data').textContent);

const headOf = ({ trace, title }) => {
  const facts = [clock(trace.start) ? `${clock(trace.start)} UTC` : '', trace.agent, trace.model, trace.conversation ? `conversation ${trace.conversation}` : '', trace.turn ? `turn ${trace.turn}` : ''].filter(Boolean);
  return h('div', { class: 'head' }, h('h1', null, plain(title)),
    h('ul', { class: 'facts' }, facts.map((fact) => h('li', null, plain(fact))), h('li', null, h('code', null, plain(trace.id)))));
};

const notesOf = ({ trace }) => [
  trace.left_out ? h('p', { class: 'note' }, `${many(trace.left_out, 'earlier call')} of this trace ${trace.left_out === 1 ? 'is' : 'are'} left out here.`) : null,
  trace.missing_n ? h('p', { class: 'note' }, `Calls that left no record: no. ${trace.missing.join(', ')}${trace.missing_n > trace.missing.length ? ', …' : ''} (not ended yet, dropped, or not logged).`) : null,
];

const TILES = [
  ['calls', () => true, '', ''], ['failed', IS.error, 'is:error', 'error'], ['found nothing', IS.empty, 'is:empty', 'empty'], ['cut', IS.cut, 'is:cut', 'partial'],
  ['repeats', IS.repeat, 'is:repeat', 'cancelled'], ['redacted', IS.redacted, 'is:redacted', ''], ['cancelled', IS.cancelled, 'is:cancelled', 'cancelled'], ['never ended', IS.unended, 'is:unended', 'unended'],
];

const showTrace = () => {
  const { calls, answers } = payload;
  const context = { calls, answers };
  let selected = -1;
  let opened = -1;
  let next = () => {};

  const filter = h('input', { class: 'filter', id: 'filter', type: 'search', placeholder: 'Filter: any text, tool:find, is:error, ms>100  ( / )', 'aria-label': 'Filter calls', autocomplete: 'off', spellcheck: 'false' });
  const shown = h('p', { class: 'shown', role: 'status' });
  const detail = h('aside', { class: 'detail', id: 'detail', tabindex: '-1', 'aria-labelledby': 'detail-title', hidden: true });
  const timeline = page.makeTimeline(calls, (index) => open(index));
  const work = h('div', { class: 'work' }, h('section', { class: 'card', 'aria-label': 'Time line' }), detail);

  const isShown = (index) => !timeline.rows[index].element.hidden;
  // one row of the list is a stop of the Tab key; j, k and the arrows go on from there
  let stop = -1;
  const reach = (index) => {
    if (stop >= 0) timeline.rows[stop].button.tabIndex = -1;
    stop = index;
    if (index >= 0) timeline.rows[index].button.tabIndex = 0;
  };
  const select = (index, isFocused = true) => {
    reach(index);
    selected = index;
    if (index < 0) return;
    const { button } = timeline.rows[index];
    if (isFocused) {
      button.focus({ preventScroll: true });
      button.scrollIntoView({ block: 'nearest' });
    }
  };
  const isCovering = () => matchMedia('(max-width: 1099px)').matches;
  const open = (index) => {
    if (opened >= 0) timeline.rows[opened].button.setAttribute('aria-expanded', 'false');
    select(index, !isCovering());
    opened = index;
    timeline.rows[index].button.setAttribute('aria-expanded', 'true');
    const made = page.makeDetail(calls[index], index, context);
    next = made.next;
    detail.replaceChildren(...made.element);
    detail.hidden = false;
    detail.scrollTop = 0;
    work.classList.add('open');
    document.body.classList.toggle('covered', isCovering());
    history.replaceState(null, '', `#call-${index + 1}`);
    if (isCovering()) detail.focus();
  };
  const close = () => {
    if (opened < 0) return false;
    timeline.rows[opened].button.setAttribute('aria-expanded', 'false');
    opened = -1;
    next = () => {};
    detail.hidden = true;
    work.classList.remove('open');
    document.body.classList.remove('covered');
    history.replaceState(null, '', location.pathname + location.search);
    select(selected, selected >= 0);
    return true;
  };
  const move = (by) => {
    let at = selected;
    do at += by; while (at >= 0 && at < calls.length && !isShown(at));
    if (at < 0 || at >= calls.length) return;
    if (opened >= 0) open(at);
    else select(at);
  };
  Object.assign(context, { open, close, step: move });

  const tiles = TILES.map(([name, test, word, tone]) => ({ name, word, tone, n: calls.filter(test).length })).filter(({ n, name }) => n || name === 'calls')
    .map(({ name, word, tone, n }) => ({ word, element: h('button', { class: 'tile', type: 'button', 'data-status': tone || null, 'aria-pressed': 'false', click: () => { filter.value = filter.value === word ? '' : word; apply(); } }, h('b', null, short(n)), h('span', null, name)) }));
  const apply = () => {
    const test = makeFilter(filter.value);
    let n = 0;
    calls.forEach((call, index) => {
      const isKept = test(call);
      timeline.rows[index].element.hidden = !isKept;
      n += isKept;
    });
    shown.textContent = n === calls.length ? many(n, 'call') : `${count(n)} of ${many(calls.length, 'call')}`;
    for (const { word, element } of tiles) element.setAttribute('aria-pressed', String(word !== '' && filter.value.trim() === word));
    if (selected >= 0 && !isShown(selected)) selected = -1;
    if (selected < 0) reach(calls.findIndex((_, index) => isShown(index)));
  };
  let later = 0;
  filter.addEventListener('input', () => { clearTimeout(later); later = setTimeout(apply, calls.length > 300 ? 120 : 0); });
  filter.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' && event.key !== 'ArrowDown') return;
    event.preventDefault();
    clearTimeout(later);
    apply();
    select(selected < 0 ? stop : selected);
  });

  const short_ = h('button', { class: 'quiet', type: 'button', 'aria-pressed': String(timeline.isShort) }, 'Shorten waiting');
  short_.addEventListener('click', () => {
    const isShort = short_.getAttribute('aria-pressed') !== 'true';
    short_.setAttribute('aria-pressed', String(isShort));
    timeline.lay(isShort);
  });
  work.firstChild.append(h('div', { class: 'bar-top' }, filter, shown, timeline.hasGaps ? short_ : null), timeline.element);

  const span = calls.length ? Math.max(...calls.map(({ end }) => end)) : 0;
  const worked = calls.reduce((sum, { row }) => sum + (page.isNumber(row.tokens) ? row.tokens : 0), 0);
  const still = (value, name) => h('li', null, h('div', { class: 'tile' }, h('b', null, value), h('span', null, name)));
  const view = h('div', null, headOf(payload), notesOf(payload),
    h('ul', { class: 'tiles', 'aria-label': 'Summary; each filters the calls' }, tiles.map(({ element }) => h('li', null, element)), still(duration(span) || '–', 'first to last'), worked ? still(short(worked), 'tokens counted') : null),
    page.makeAnswers(context), page.makeFindings(payload.findings),
    calls.length ? work : h('p', { class: 'note' }, 'No call was made in this trace.'));
  apply();
  page.move = move;
  page.open = () => { if (selected >= 0) open(selected); };
  page.escape = () => {
    if (close() || !filter.value) return;
    filter.value = '';
    apply();
  };
  page.look = () => next();

  const both = {
    calls: () => { main.replaceChildren(view); },
    stats: () => { close(); page.showStatistics(main, payload); },
  };
  const buttons = Object.entries({ calls: 'Calls', stats: 'Statistics' }).map(([name, text]) => h('button', { type: 'button', 'data-name': name, click: () => page.tab(name) }, text));
  nav.append(...buttons);
  page.tab = (name) => {
    both[name]();
    for (const button of buttons) button.setAttribute('aria-pressed', String(button.dataset.name === name));
  };
  page.tab('calls');
  const linked = Number(/^#call-(\d+)$/.exec(location.hash)?.[1]);
  if (linked >= 1 && linked <= calls.length) open(linked - 1);
};

const nothing = () => {};
Object.assign(page, { move: nothing, open: nothing, escape: nothing, look: nothing, tab: nothing });

const show = { trace: showTrace, stats: () => page.showStatistics(main, payload), traces: () => page.showTraces(main, payload) };
show[payload.kind]();

const links = { traces: 'Traces', stats: 'All statistics' };
for (const [name, text] of Object.entries(links)) {
  if (payload.links[name]) nav.append(h('a', { href: payload.links[name], 'aria-current': payload.kind === name ? 'page' : null }, text));
}
const KEYS = {
  j: () => page.move(1), ArrowDown: () => page.move(1), k: () => page.move(-1), ArrowUp: () => page.move(-1), v: () => page.look(),
  1: () => page.tab('calls'), 2: () => page.tab('stats'), '?': () => help.showModal(),
  '/': () => document.getElementById('filter')?.focus(),
};
document.getElementById('keys').addEventListener('click', () => help.showModal());
document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || help.open) return;
  const { target, key } = event;
  if (key === 'Escape') {
    page.escape();
    if (target instanceof HTMLInputElement) target.blur();
    return;
  }
  if (target instanceof HTMLInputElement) return;
  // what scrolls keeps its arrows; what is a button or a link keeps its Enter
  if (key.startsWith('Arrow') && target.closest('pre, .scroll, .answer-text, .detail')) return;
  if (key === 'Enter' && !target.closest('button, a, summary')) page.open();
  if (Object.hasOwn(KEYS, key)) {
    event.preventDefault();
    KEYS[key]();
  }
});
