// The calls of a trace on a time line, one row each.

const { h, plain, duration, GLYPHS, statusOf, flagsOf } = page;

// waiting between calls may take hours: a gap longer than this share of the work is shortened to it
const GAP = 0.06;
const TICKS = 4;

/** Place moments (ms) between 0 and 1; with `isShort`, long waits between calls are shortened. */
const makeScale = (calls, isShort) => {
  const spans = calls.map(({ start, end }) => [start, Math.max(end, start)]).sort((a, b) => a[0] - b[0]);
  const busy = [];
  for (const [start, end] of spans) {
    const last = busy.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else busy.push([start, end]);
  }
  const worked = busy.reduce((sum, [start, end]) => sum + end - start, 0);
  const longest = Math.max(worked * GAP, 1);
  const points = [];
  let at = 0;
  let before = busy.length ? busy[0][0] : 0;
  for (const [start, end] of busy) {
    at += isShort ? Math.min(start - before, longest) : start - before;
    points.push([start, at]);
    at += end - start;
    points.push([end, at]);
    before = end;
  }
  const whole = at || 1;
  const place = (moment) => {
    let low = 0;
    let high = points.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (points[middle][0] < moment) low = middle + 1;
      else high = middle;
    }
    const [after, afterAt] = points[low] || [0, 0];
    const [prior, priorAt] = points[Math.max(low - 1, 0)] || [0, 0];
    const share = after > prior ? (moment - prior) / (after - prior) : 1;
    return Math.min(Math.max((priorAt + (afterAt - priorAt) * share) / whole, 0), 1);
  };
  return { place, worked, length: busy.length ? busy.at(-1)[1] - busy[0][0] : 0 };
};

const makeRow = (call, index, open) => {
  const status = statusOf(call);
  const tool = h('span', { class: 'tool', title: plain(call.row.tool) }, plain(call.row.tool) || '(no name)');
  const bar = h('i', { class: call.ended ? '' : 'open' });
  const what = h('span', { class: 'what' },
    h('span', { class: 'glyph', 'aria-hidden': 'true' }, GLYPHS[status]),
    h('span', { class: 'seq' }, page.isNumber(call.row.seq) ? call.row.seq : index + 1),
    tool,
    h('span', { class: 'away' }, status === 'unended' ? 'never ended' : status),
    h('span', { class: 'flags' }, flagsOf(call).map(([text, tone]) => h('span', { class: 'flag', 'data-status': tone || null, title: text }, text))));
  what.style.paddingLeft = `${Math.min(call.depth, 10) * 0.9}rem`;
  const button = h('button', { class: 'call', type: 'button', tabindex: '-1', 'data-status': status, 'aria-expanded': 'false', 'aria-controls': 'detail', click: () => open(index) },
    what, h('span', { class: 'lane', 'aria-hidden': 'true' }, bar), h('span', { class: 'ms' }, duration(call.row.elapsed_ms)));
  return { element: h('li', null, button), button, bar };
};

const makeTimeline = (calls, open) => {
  const rows = calls.map((call, index) => makeRow(call, index, open));
  const axis = h('div', { class: 'axis', 'aria-hidden': 'true' });
  const element = h('div', { class: 'calls' }, axis, h('ol', { 'aria-label': 'Calls in the order they began' }, rows.map((row) => row.element)));

  const lay = (isShort) => {
    const scale = makeScale(calls, isShort);
    calls.forEach((call, index) => {
      const from = scale.place(call.start);
      const to = call.ended ? scale.place(Math.max(call.end, call.start)) : 1;
      rows[index].bar.style.left = `${Math.min(from, 0.995) * 100}%`;
      rows[index].bar.style.width = `${Math.max(to - from, 0) * 100}%`;
    });
    const moments = isShort ? [] : Array.from({ length: TICKS + 1 }, (_, n) => (scale.length * n) / TICKS);
    axis.replaceChildren(...moments.map((moment, n) => {
      const tick = h('span', null, n ? duration(moment) : '0');
      tick.style.left = `${(n / TICKS) * 100}%`;
      return tick;
    }), ...(isShort ? [h('span', null, 'waiting between calls is shortened')] : []));
  };

  const { worked, length } = makeScale(calls, false);
  // mostly waiting: the bars would be too thin to compare
  const isShort = calls.length > 1 && length > 5 * worked;
  lay(isShort);
  return { element, rows, lay, isShort, hasGaps: length > worked * 1.05 };
};

Object.assign(page, { makeTimeline });
