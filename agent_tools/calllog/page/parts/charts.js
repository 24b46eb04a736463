// Charts, drawn by uPlot on canvas, in the colours of the page; every chart has a table beside it.

const { h, plain } = page;

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
const drawn = new Set();

/** Redraw what is on the page: the colours changed, or the room. */
const redraw = () => {
  for (const chart of drawn) {
    if (chart.holder.isConnected) chart.draw();
  }
};
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
let waiting = 0;
addEventListener('resize', () => { cancelAnimationFrame(waiting); waiting = requestAnimationFrame(redraw); });

const axis = (given) => ({ stroke: colour('muted'), grid: { stroke: colour('line'), width: 1 }, ticks: { stroke: colour('line'), width: 1, size: 4 }, font: '11px system-ui, sans-serif', gap: 4, ...given });

/** Return a figure. `make(width)` gives uPlot's options and data, `read(index)` the words for what is pointed at. */
const makeChart = ({ title, summary, legend, make, read }) => {
  const readout = h('p', { class: 'readout', 'aria-hidden': 'true' });
  const holder = h('div', { class: 'plot', role: 'img', 'aria-label': `${title}. ${summary}` });
  let plot = null;
  const draw = () => {
    plot?.destroy();
    const width = Math.max(Math.floor(holder.clientWidth), 200);
    const { options, data } = make(width);
    const setCursor = ({ cursor }) => { readout.textContent = page.isNumber(cursor.idx) ? read(cursor.idx) : ''; };
    plot = new uPlot({ width, legend: { show: false }, padding: [8, 8, 0, 0], hooks: { setCursor: [setCursor] }, ...options, cursor: { drag: { x: false, y: false }, points: { show: false }, y: false, ...options.cursor } }, data, holder);
  };
  drawn.add({ holder, draw });
  const items = legend.map(([label, tone, isLight]) => h('li', { 'data-status': tone, 'data-light': isLight || null }, h('i'), label));
  return h('figure', { class: 'card' }, h('figcaption', null, title), items.length ? h('ul', { class: 'legend' }, items) : null, holder, readout);
};

/** Bars over time, stacked; `layers` are [label, tone, values], the lowest first. */
const overTime = ({ title, summary, time, layers, unit }) => {
  const stacked = layers.map((_, n) => time.t.map((__, at) => layers.slice(0, n + 1).reduce((sum, [, , values]) => sum + values[at], 0)));
  const half = time.step / 2;
  const make = () => ({
    data: [time.t, ...stacked.slice().reverse()],
    options: {
      height: 180,
      padding: [8, 34, 0, 0], // half of a time below the last bar
      scales: { x: { time: true, range: () => [time.t[0] - half, time.t.at(-1) + half] }, y: { range: (_, __, max) => [0, Math.max(max * 1.08, 1)] } },
      axes: [axis({ grid: { show: false }, size: 26, space: 84, values: (_, splits) => splits.map((t) => label(t, time.step)) }), axis({ size: 46, values: (_, splits) => splits.map(page.short) })],
      series: [{}, ...layers.map(([, tone]) => ({ fill: colour(tone), stroke: colour(tone), width: 0, points: { show: false }, paths: uPlot.paths.bars({ size: [0.86, 40], radius: 0.15 }) })).reverse()],
    },
  });
  const read = (at) => `${label(time.t[at], time.step)} – ${layers.filter(([, , values]) => values[at]).map(([name, , values]) => `${page.count(values[at])} ${name}`).join(', ') || `no ${unit}`}`;
  return makeChart({ title, summary, legend: layers.map(([name, tone]) => [name, tone]), make, read });
};
const label = (t, step) => (step >= 86_400 ? page.clock(t).slice(0, 10) : step >= 3600 ? page.clock(t).slice(5, 16) : page.clock(t, false) + (step < 1 ? (t % 1).toFixed(1).slice(1) : ''));

const isDecade = (value) => Math.abs(Math.log10(value) - Math.round(Math.log10(value))) < 1e-6;

/** Horizontal bars, one row per name; later layers are drawn over earlier ones. */
const byName = ({ title, summary, names, layers, show, isLog }) => {
  const shorten = (name) => (name.length > 18 ? `${name.slice(0, 17)}…` : name);
  const values = layers.map(([, , list]) => list.map((value) => (isLog ? Math.max(value ?? 0.01, 0.01) : value ?? 0)));
  const top = Math.max(...values.flat(), isLog ? 0.1 : 0);
  const low = isLog ? 10 ** Math.floor(Math.log10(Math.min(...values.flat()))) : 0;
  const high = isLog ? 10 ** Math.ceil(Math.log10(top * 1.05)) : top * 1.08 || 1;
  const decades = (_, splits) => splits.map((value) => (isLog && !isDecade(value) ? null : value));
  const make = (width) => ({
    data: [names.map((_, at) => at), ...values],
    options: {
      height: names.length * 26 + 36,
      padding: [4, 26, 0, 0],
      scales: { x: { time: false, ori: 1, dir: -1, range: () => [-0.5, names.length - 0.5] }, y: { ori: 0, dir: 1, distr: isLog ? 3 : 1, range: () => [low, Math.max(high, low * 10)] } },
      axes: [
        axis({ side: 3, size: Math.min(150, width * 0.36), grid: { show: false }, ticks: { show: false }, splits: () => names.map((_, at) => at), values: () => names.map((name) => shorten(plain(name))) }),
        axis({ side: 2, size: 28, space: 60, filter: decades, grid: { stroke: colour('line'), width: 1, filter: decades }, ticks: { stroke: colour('line'), width: 1, size: 4, filter: decades }, values: (_, splits) => splits.map((value) => (value === null ? null : show(value))) }),
      ],
      series: [{}, ...layers.map(([, tone, , isLight]) => ({ fill: colour(tone) + (isLight ? '66' : ''), width: 0, points: { show: false }, paths: uPlot.paths.bars({ size: [0.66, 18], radius: 0.15 }), fillTo: () => low }))],
      cursor: { x: false, y: false },
    },
  });
  const read = (at) => `${plain(names[at])}: ${layers.map(([name, , list]) => `${name} ${show(list[at])}`).join(', ')}`;
  return makeChart({ title, summary, legend: layers.length > 1 ? layers.map(([name, tone, , isLight]) => [name, tone, isLight]) : [], make, read });
};

Object.assign(page, { overTime, byName, redraw });
