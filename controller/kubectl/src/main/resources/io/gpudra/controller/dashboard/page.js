'use strict';
// Shows the events of /events (DashboardState.java and DashboardNodeJson.java document the format). Text
// from the cluster is only inserted by textContent.
(() => {
  // In the order of the legend; the letters come from the server.
  const STATES = [
    {letter: 'F', name: 'Free', means: 'No claim holds any part of it'},
    {letter: 'P', name: 'Partly free', means: 'Some parts are allocated, others are free'},
    {letter: 'G', name: 'Granted', means: 'It is allocated completely'},
    {letter: 'D', name: 'Draining', means: 'Deallocated, but still prepared on its node'},
    {letter: 'T', name: 'Tainted', means: 'A taint or foreign MIG devices prevent new allocations'},
    {letter: 'S', name: 'Out of service', means: 'Its node gets no new allocations, or has no inventory'},
    {letter: 'L', name: 'Lost', means: 'A claim holds it, but its node does not list it, or it fell off the bus'},
  ];
  const INDEX = Object.fromEntries(STATES.map((state, i) => [state.letter, i]));
  const [FREE, PARTLY, GRANTED, DRAINING, TAINTED, STALE, LOST] = STATES.keys();
  const COLOURS = ['free', 'partly', 'granted', 'draining', 'tainted', 'stale', 'lost'];

  // Sizes of the map; the largest that fits is the default.
  const SIZES = [
    {cell: 4, gap: 1, label: 0, two: true, right: 4, below: 4, least: 0},
    {cell: 7, gap: 1, label: 0, two: true, right: 6, below: 6, least: 0},
    {cell: 12, gap: 2, label: 15, two: true, right: 14, below: 12, least: 60},
    {cell: 18, gap: 3, label: 17, two: false, right: 20, below: 16, least: 90},
    {cell: 26, gap: 4, label: 20, two: false, right: 28, below: 22, least: 120},
  ];
  const ROW = 30;
  const BEFORE_AND_AFTER = 6;
  const SILENCE = 30000;
  const HIDDEN = 5 * 60000;
  const AGAIN = 3000;

  const $ = id => document.getElementById(id);
  const byName = new Intl.Collator('en', {numeric: true}).compare;
  const number = new Intl.NumberFormat('en');

  const nodes = new Map();
  let order = [];
  let gpus = [];
  let shown = [];
  let counts = STATES.map(() => 0);
  let parts = {about: {cluster: '', driver: '', notes: []}, waiting: {total: 0, pods: []}, findings: {total: 0, list: []}, quotas: {total: 0, list: []}};
  let words = [];
  let only = -1;
  let chosen = -1;
  let layout = null;
  let hovered = null;
  let cursor = null;
  let selected = -1;
  let colours = {};
  let font = '';
  let at = 0;
  let heardAt = 0;
  let read = false;
  let lost = '';
  let stream = null;

  // ---------------------------------------------------------------- the document

  function el(tag, name, text) {
    const made = document.createElement(tag);
    if (name) made.className = name;
    if (text !== undefined) made.textContent = text;
    return made;
  }

  function put(id, text) {
    const there = typeof id === 'string' ? $(id) : id;
    if (there.textContent !== text) there.textContent = text;
  }

  const plural = (n, one, many) => number.format(n) + ' ' + (n === 1 ? one : many || one + 's');
  const memory = bytes => !bytes ? '' : (bytes / 2 ** 30).toFixed(bytes % 2 ** 30 ? 1 : 0) + ' GiB';
  const now = () => at + (Date.now() - heardAt) / 1000;

  function age(since) {
    const s = Math.max(0, now() - since);
    if (s < 90) return Math.floor(s) + ' s';
    if (s < 5400) return Math.floor(s / 60) + ' min';
    if (s < 172800) return Math.floor(s / 3600) + ' h';
    return Math.floor(s / 86400) + ' d';
  }

  // ---------------------------------------------------------------- what is told

  function holderOf([namespace, claim, device, since, kind, pods]) {
    return {namespace, claim, device, since, whole: kind === 'W', pods};
  }

  /** Whether the map has to be laid out anew. */
  function learn([name, why, models, list]) {
    const known = nodes.get(name);
    const node = known || {name, why, gpus: [], x: 0, y: 0, width: 0};
    const before = node.gpus.length;
    nodes.set(name, node);
    node.why = why;
    node.gpus = list.map(([gpu, uuid, letter, model, taken, note, holders]) => ({
      node, name: gpu, uuid, state: INDEX[letter], taken, note,
      model: model < 0 ? '' : intern(models[model][0]), memory: model < 0 ? 0 : models[model][1],
      holders: holders.map(holderOf), text: '', matches: true,
    }));
    return !known || before !== list.length;
  }

  const interned = new Map();
  function intern(text) {
    const known = interned.get(text);
    if (known !== undefined) return known;
    interned.set(text, text);
    return text;
  }

  function take(told) {
    const started = performance.now();
    const before = counts;
    const first = told.reset === true;
    let moved = first;
    if (first) nodes.clear();
    for (const one of told.nodes || []) moved = learn(one) || moved;
    for (const name of told.gone || []) moved = nodes.delete(name) || moved;
    const changed = first || told.nodes !== undefined || told.gone !== undefined;
    for (const part of ['about', 'waiting', 'findings', 'quotas']) if (told[part] !== undefined) parts[part] = told[part];
    at = told.at;
    heardAt = Date.now();
    read = read || told.about !== undefined;
    say(told.trouble);
    if (!read) return;
    $('main').classList.remove('reading');
    if (changed) {
      recount(moved);
      choose();
      if (moved) arrange();
    }
    if (changed || told.about) overview();
    if (told.about) about();
    if (told.waiting) waiting();
    if (told.findings) findings();
    if (told.quotas) quotas();
    if (!first) announce(before);
    performance.clearMeasures(first ? 'picture' : 'update');
    if (first || changed) performance.measure(first ? 'picture' : 'update', {start: started});
  }

  function recount(moved) {
    if (moved) order = [...nodes.values()].sort((a, b) => byName(a.name, b.name));
    gpus = [];
    counts = STATES.map(() => 0);
    for (const node of order) {
      for (const gpu of node.gpus) {
        gpus.push(gpu);
        counts[gpu.state]++;
      }
    }
    hovered = again(hovered);
    cursor = again(cursor);
  }

  function again(gpu) {
    const node = gpu && nodes.get(gpu.node.name);
    return node ? node.gpus.find(one => one.uuid === gpu.uuid) || null : null;
  }

  function announce(before) {
    const news = STATES.map((state, i) => [state, counts[i] - before[i], counts[i]]).filter(([, by]) => by !== 0)
      .map(([state, by, n]) => `${state.name} ${number.format(n)} (${by > 0 ? '+' : '−'}${number.format(Math.abs(by))})`);
    if (news.length > 0) put('news', news.join(', '));
  }

  // ---------------------------------------------------------------- the filter

  function textOf(gpu) {
    if (!gpu.text) {
      gpu.text = [gpu.node.name, gpu.name, gpu.uuid, gpu.model, STATES[gpu.state].name, gpu.note,
        ...gpu.holders.map(holder => [holder.namespace + '/' + holder.claim, ...holder.pods].join(' '))].join('\n').toLowerCase();
    }
    return gpu.text;
  }

  function choose() {
    const all = words.length === 0 && only < 0;
    for (const gpu of gpus) {
      gpu.matches = all || ((only < 0 || gpu.state === only) && (words.length === 0 || matches(gpu)));
    }
    shown = all ? gpus : gpus.filter(gpu => gpu.matches);
    selected = Math.min(selected, shown.length - 1);
    draw();
    table();
    uses();
    const some = `${plural(shown.length, 'GPU')} of ${number.format(gpus.length)} match`;
    put('map-summary', all ? `${plural(gpus.length, 'GPU')} on ${plural(order.length, 'node')}` : some);
    put('table-summary', all ? '' : some);
  }

  function matches(gpu) {
    const text = textOf(gpu);
    return words.every(word => text.includes(word));
  }

  // ---------------------------------------------------------------- the overview

  function overview() {
    const bar = $('bar');
    if (bar.childElementCount === 0) {
      STATES.forEach((state, i) => {
        const piece = bar.appendChild(el('span'));
        piece.style.backgroundColor = `var(--${i === FREE ? 'free-line' : COLOURS[i]})`;
        $('tiles').appendChild(tile(state, i));
      });
    }
    STATES.forEach((state, i) => {
      bar.children[i].hidden = counts[i] === 0;
      bar.children[i].style.flexGrow = counts[i];
      const one = $('tiles').children[i];
      one.hidden = counts[i] === 0 && i > GRANTED && only !== i;
      one.classList.toggle('none', counts[i] === 0);
      put(one.querySelector('b'), number.format(counts[i]));
      one.setAttribute('aria-pressed', String(only === i));
    });
    document.title = `${number.format(counts[FREE])} of ${plural(gpus.length, 'GPU')} free`;
  }

  function tile(state, i) {
    const made = el('button', 'tile');
    made.type = 'button';
    made.title = state.means;
    made.dataset.state = state.letter;
    const swatch = made.appendChild(el('canvas'));
    swatch.setAttribute('aria-hidden', 'true');
    paintSwatch(swatch, 22, i);
    made.append(el('b'), el('span', 'name', state.name));
    made.addEventListener('click', () => {
      only = only === i ? -1 : i;
      choose();
      overview();
    });
    return made;
  }

  function about() {
    const {cluster, driver, notes} = parts.about;
    put('cluster', cluster.replace(/^https?:\/\//, ''));
    $('cluster').title = `${cluster}, driver ${driver}`;
    $('notes').hidden = notes.length === 0;
    $('notes').replaceChildren(...notes.map(note => el('p', '', note)));
  }

  // ---------------------------------------------------------------- the map

  function columns(node, size) {
    const n = node.gpus.length;
    return Math.max(1, size.two && n > 4 ? Math.ceil(n / 2) : Math.min(n, 8));
  }

  function lay(size, width) {
    const rows = [];
    let x = 0;
    let y = 0;
    let row = null;
    for (const node of order) {
      const across = columns(node, size);
      const down = Math.ceil(node.gpus.length / across);
      node.width = Math.max(size.least, across * (size.cell + size.gap) - size.gap);
      const height = size.label + down * (size.cell + size.gap) - size.gap;
      if (row === null || x + node.width > width && x > 0) {
        y = row === null ? 0 : row.y + row.height + size.below;
        x = 0;
        row = {y, height, nodes: []};
        rows.push(row);
      }
      node.x = x;
      node.y = y;
      row.height = Math.max(row.height, height);
      row.nodes.push(node);
      x += node.width + size.right;
    }
    return {size, rows, height: row === null ? 0 : row.y + row.height};
  }

  const room = () => Math.min(innerHeight * .62, 644);

  function arrange() {
    const width = $('map').clientWidth - 2;
    let fits = chosen;
    if (fits >= 0) {
      layout = lay(SIZES[fits], width);
    } else {
      for (fits = SIZES.length - 1; ; fits--) {
        layout = lay(SIZES[fits], width);
        if (fits === 0 || layout.height <= room()) break;
      }
    }
    layout.index = fits;
    $('smaller').disabled = fits === 0;
    $('larger').disabled = fits === SIZES.length - 1;
    $('map').hidden = gpus.length === 0;
    $('map-empty').hidden = gpus.length > 0;
    put('map-empty', 'There are no GPUs: no node has an inventory of the driver ' + parts.about.driver
      + '. It appears here as soon as the kubelet plugin on a node has published one; kubectl gpudra doctor tells what keeps it from that.');
    // One pixel more for outlines.
    $('map-space').style.height = layout.height + 2 + 'px';
    draw();
  }

  function cellOf(gpu) {
    const size = layout.size;
    const across = columns(gpu.node, size);
    const i = gpu.node.gpus.indexOf(gpu);
    const step = size.cell + size.gap;
    return {x: gpu.node.x + 1 + i % across * step, y: gpu.node.y + 1 + size.label + Math.floor(i / across) * step};
  }

  function draw() {
    if (layout === null || gpus.length === 0) return;
    const box = $('map');
    const canvas = $('canvas');
    const width = box.clientWidth;
    const height = Math.max(1, Math.min(box.clientHeight, layout.height + 2));
    const scale = devicePixelRatio || 1;
    if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
      canvas.width = Math.round(width * scale);
      canvas.height = Math.round(height * scale);
      canvas.style.width = width + 'px';
      canvas.style.height = height + 'px';
    }
    const pen = canvas.getContext('2d');
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.translate(1, 1 - box.scrollTop);
    const visible = layout.rows.filter(row => row.y + row.height >= box.scrollTop && row.y <= box.scrollTop + height);
    if (layout.size.label) visible.forEach(row => row.nodes.forEach(node => label(pen, node)));
    paintCells(pen, visible);
    pen.globalAlpha = 1;
    pen.lineWidth = 2;
    pen.strokeStyle = colours.mark;
    if (hovered) sameClaim(hovered).forEach(gpu => ring(pen, gpu));
    pen.strokeStyle = colours.focus;
    if (cursor && document.activeElement === box) ring(pen, cursor);
  }

  function label(pen, node) {
    pen.font = (layout.size.label > 16 ? 12 : 11) + 'px ' + font;
    pen.textBaseline = 'top';
    pen.fillStyle = node.gpus.some(gpu => gpu.matches) ? colours.quiet : colours.line;
    let name = node.name;
    const most = node.width + layout.size.right - 8;
    if (pen.measureText(name).width > most) {
      while (name.length > 1 && pen.measureText('…' + name).width > most) name = name.slice(1);
      name = '…' + name;
    }
    pen.fillText(name, node.x, node.y);
  }

  /** State by state: changing colours is what costs. */
  function paintCells(pen, rows) {
    const size = layout.size;
    const step = size.cell + size.gap;
    const byState = STATES.map(() => []);
    for (const row of rows) {
      for (const node of row.nodes) {
        const across = columns(node, size);
        node.gpus.forEach((gpu, i) => byState[gpu.state].push(
          gpu, node.x + i % across * step, node.y + size.label + Math.floor(i / across) * step));
      }
    }
    byState.forEach((cells, state) => {
      for (let i = 0; i < cells.length; i += 3) {
        pen.globalAlpha = cells[i].matches ? 1 : .14;
        paint(pen, cells[i + 1], cells[i + 2], size.cell, state, cells[i]);
      }
    });
  }

  /** Each state has a form of its own, so that colours need not be told apart. */
  function paint(pen, x, y, s, state, gpu) {
    const fine = s >= 10;
    const held = !gpu || gpu.holders.length > 0;
    if (!fine) {
      speck(pen, x, y, s, state, gpu, held);
      return;
    }
    const r = Math.min(4, s / 6);
    if (state === FREE || state === PARTLY || state === STALE && !held) {
      pen.fillStyle = colours.free;
      box(pen, x + .5, y + .5, s - 1, s - 1, r);
      pen.fill();
      if (state === PARTLY) {
        const full = taken(gpu) * s;
        pen.fillStyle = colours.granted;
        pen.fillRect(x + 1, y + s - full, s - 2, full - 1);
      }
      pen.strokeStyle = state === FREE ? colours['free-line'] : state === PARTLY ? colours.granted : colours.stale;
      pen.lineWidth = 1.5;
      box(pen, x + .5, y + .5, s - 1, s - 1, r);
      pen.stroke();
      if (state === STALE) dash(pen, x, y, s, colours.stale);
      return;
    }
    pen.fillStyle = colours[COLOURS[state]];
    box(pen, x, y, s, s, r);
    pen.fill();
    if (state === DRAINING) hatch(pen, x, y, s);
    if (state === TAINTED) cross(pen, x, y, s);
    if (state === STALE) dash(pen, x, y, s, colours.ink);
    if (state === LOST) bang(pen, x, y, s);
  }

  const taken = gpu => Math.min(.85, Math.max(.2, gpu ? gpu.taken / 1000 : .5));

  /** Too small for a form: whether it is filled is all that is told beside the colour. */
  function speck(pen, x, y, s, state, gpu, held) {
    if (state === FREE || state === STALE && !held) {
      pen.lineWidth = 1;
      pen.strokeStyle = state === FREE ? colours['free-line'] : colours.stale;
      pen.strokeRect(x + .5, y + .5, s - 1, s - 1);
      return;
    }
    pen.fillStyle = colours[COLOURS[state]];
    pen.fillRect(x, y, s, s);
  }

  function box(pen, x, y, w, h, r) {
    pen.beginPath();
    if (r > 0) pen.roundRect(x, y, w, h, r);
    else pen.rect(x, y, w, h);
  }

  function stroke(pen, s, colour, lines) {
    pen.strokeStyle = colour;
    pen.lineWidth = Math.max(1.5, s / 10);
    pen.lineCap = 'round';
    pen.beginPath();
    for (const [x1, y1, x2, y2] of lines) {
      pen.moveTo(x1, y1);
      pen.lineTo(x2, y2);
    }
    pen.stroke();
    pen.lineCap = 'butt';
  }

  function hatch(pen, x, y, s) {
    const m = s * .2;
    stroke(pen, s * .8, colours.ink, [
      [x + m, y + s * .5, x + s * .5, y + m], [x + m, y + s - m, x + s - m, y + m], [x + s * .5, y + s - m, x + s - m, y + s * .5]]);
  }

  function cross(pen, x, y, s) {
    const m = s * .28;
    stroke(pen, s, colours.ink, [[x + m, y + m, x + s - m, y + s - m], [x + s - m, y + m, x + m, y + s - m]]);
  }

  function dash(pen, x, y, s, colour) {
    stroke(pen, s, colour, [[x + s * .3, y + s / 2, x + s * .7, y + s / 2]]);
  }

  function bang(pen, x, y, s) {
    stroke(pen, s * 1.2, colours.ink, [[x + s / 2, y + s * .24, x + s / 2, y + s * .55], [x + s / 2, y + s * .76, x + s / 2, y + s * .77]]);
  }

  function ring(pen, gpu) {
    const size = layout.size.cell;
    const {x, y} = cellOf(gpu);
    box(pen, x - 2, y - 2, size + 2, size + 2, size >= 10 ? 4 : 0);
    pen.stroke();
  }

  function sameClaim(gpu) {
    const claims = new Set(gpu.holders.map(holder => holder.namespace + '/' + holder.claim));
    return claims.size === 0 ? [gpu]
      : gpus.filter(one => one.holders.some(holder => claims.has(holder.namespace + '/' + holder.claim)));
  }

  function paintSwatch(canvas, size, state, gpu) {
    const scale = devicePixelRatio || 1;
    canvas.width = canvas.height = size * scale;
    const pen = canvas.getContext('2d');
    pen.scale(scale, scale);
    paint(pen, 1, 1, size - 2, state, gpu);
  }

  function hit(event) {
    const box = $('map').getBoundingClientRect();
    const x = event.clientX - box.left - 1;
    const y = event.clientY - box.top + $('map').scrollTop - 1;
    const size = layout.size;
    const row = layout.rows.find(one => y >= one.y && y < one.y + one.height);
    const node = row && row.nodes.find(one => x >= one.x && x < one.x + one.width);
    if (!node || y < node.y + size.label) return null;
    const step = size.cell + size.gap;
    const column = Math.floor((x - node.x) / step);
    const across = columns(node, size);
    return column < across ? node.gpus[Math.floor((y - node.y - size.label) / step) * across + column] || null : null;
  }

  function held(gpu) {
    return gpu.holders.map(holder => holder.namespace + '/' + holder.claim
      + (holder.pods.length ? ' (' + holder.pods.join(', ') + ')' : '')).join(', ');
  }

  function stateText(gpu) {
    const name = STATES[gpu.state].name;
    return gpu.state === PARTLY ? `${name}, ${Math.round(gpu.taken / 10)} % taken` : name;
  }

  function describe(gpu) {
    return [stateText(gpu) + (gpu.state === FREE || gpu.state === GRANTED ? '' : ': ' + (gpu.state === STALE && gpu.node.why || gpu.note || STATES[gpu.state].means)),
      [gpu.model, memory(gpu.memory)].filter(Boolean).join(', '),
      gpu.holders.length ? 'Held by ' + held(gpu) : ''].filter(Boolean).join('\n');
  }

  function hover(gpu, event) {
    const tip = $('tip');
    if (gpu !== hovered) {
      hovered = gpu;
      draw();
      if (gpu) tip.replaceChildren(el('b', '', gpu.node.name + ' · ' + gpu.name), describe(gpu));
    }
    tip.hidden = gpu === null;
    if (gpu === null || !event) return;
    const {width, height} = tip.getBoundingClientRect();
    tip.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - width - 8)) + 'px';
    tip.style.top = Math.max(4, event.clientY + 18 + height > innerHeight ? event.clientY - height - 12 : event.clientY + 18) + 'px';
  }

  function move(key) {
    if (cursor === null) return gpus[0];
    const i = gpus.indexOf(cursor);
    if (key === 'ArrowRight') return gpus[Math.min(i + 1, gpus.length - 1)];
    if (key === 'ArrowLeft') return gpus[Math.max(i - 1, 0)];
    if (key === 'Home') return gpus[0];
    if (key === 'End') return gpus[gpus.length - 1];
    const row = layout.rows.findIndex(one => one.nodes.includes(cursor.node));
    const next = layout.rows[row + (key === 'ArrowDown' ? 1 : -1)];
    if (!next) return cursor;
    const node = next.nodes.reduce((best, one) => Math.abs(one.x - cursor.node.x) < Math.abs(best.x - cursor.node.x) ? one : best);
    return node.gpus[Math.min(cursor.node.gpus.indexOf(cursor), node.gpus.length - 1)];
  }

  function mapKey(event) {
    if (event.key === 'Enter' && cursor) {
      open(cursor);
    } else if (['ArrowRight', 'ArrowLeft', 'ArrowUp', 'ArrowDown', 'Home', 'End'].includes(event.key) && gpus.length > 0) {
      cursor = move(event.key);
      const {y} = cellOf(cursor);
      const box = $('map');
      if (y < box.scrollTop + 24 || y + 32 > box.scrollTop + box.clientHeight) box.scrollTop = Math.max(0, y - box.clientHeight / 2);
      put('news', cursor.node.name + ' ' + cursor.name + '. ' + describe(cursor));
      draw();
    } else {
      return;
    }
    event.preventDefault();
  }

  // ---------------------------------------------------------------- the table

  const pool = [];

  function table() {
    $('table').setAttribute('aria-rowcount', String(shown.length + 1));
    $('rows').style.height = Math.max(1, shown.length) * ROW + 'px';
    let none = $('none');
    if (!none) {
      none = $('rows').appendChild(el('p', 'empty', 'No GPU matches.'));
      none.id = 'none';
    }
    none.hidden = shown.length > 0 || gpus.length === 0;
    rows();
  }

  function rows() {
    const box = $('table');
    const first = Math.max(0, Math.floor(box.scrollTop / ROW) - BEFORE_AND_AFTER);
    const most = Math.ceil(box.clientHeight / ROW) + 2 * BEFORE_AND_AFTER;
    const last = Math.min(shown.length, first + most);
    while (pool.length < last - first) pool.push(newRow());
    pool.forEach((row, i) => {
      row.hidden = first + i >= last;
      if (!row.hidden) fill(row, first + i, shown[first + i]);
    });
    const active = pool.find(row => !row.hidden && Number(row.dataset.index) === selected);
    if (active) box.setAttribute('aria-activedescendant', active.id);
    else box.removeAttribute('aria-activedescendant');
  }

  function newRow() {
    const row = el('div', 'row');
    row.id = 'row-' + pool.length;
    row.setAttribute('role', 'row');
    for (const name of ['', '', '', 'state', '', 'num']) row.appendChild(el('span', name)).setAttribute('role', 'gridcell');
    row.children[3].append(el('canvas'), el('span'));
    row.children[3].firstChild.setAttribute('aria-hidden', 'true');
    row.addEventListener('click', () => {
      selected = Number(row.dataset.index);
      rows();
      open(shown[selected]);
    });
    return $('rows').appendChild(row);
  }

  function fill(row, index, gpu) {
    const [node, name, model, state, holders, since] = row.children;
    row.dataset.index = String(index);
    row.style.top = index * ROW + 'px';
    row.setAttribute('aria-rowindex', String(index + 2));
    row.setAttribute('aria-selected', String(index === selected));
    put(node, gpu.node.name);
    put(name, gpu.name);
    put(model, [gpu.model, memory(gpu.memory)].filter(Boolean).join(', '));
    put(state.lastChild, stateText(gpu));
    const look = gpu.state + '/' + gpu.taken + '/' + (gpu.holders.length > 0) + '/' + colours.granted;
    if (state.dataset.look !== look) {
      state.dataset.look = look;
      paintSwatch(state.firstChild, 14, gpu.state, gpu);
    }
    put(holders, held(gpu));
    holders.title = holders.textContent;
    const times = gpu.holders.map(holder => holder.since).filter(Boolean);
    put(since, times.length ? age(Math.min(...times)) : '');
  }

  function tableKey(event) {
    const page = Math.floor($('table').clientHeight / ROW) - 2;
    const by = {ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity}[event.key];
    if (event.key === 'Enter' && shown[selected]) open(shown[selected]);
    else if (by !== undefined && shown.length > 0) {
      selected = Math.max(0, Math.min(shown.length - 1, selected + by));
      const box = $('table');
      const top = selected * ROW;
      if (top < box.scrollTop) box.scrollTop = top;
      if (top + 2 * ROW > box.scrollTop + box.clientHeight) box.scrollTop = top + 2 * ROW - box.clientHeight;
      rows();
    } else return;
    event.preventDefault();
  }

  // ---------------------------------------------------------------- the lists

  function entry(title, aside, why, action) {
    const item = el('li');
    const button = item.appendChild(el('button'));
    button.type = 'button';
    const line = button.appendChild(el('div', 'line'));
    line.append(el('b', '', title), el('span', '', aside));
    if (why) button.appendChild(el('div', 'why', why));
    button.addEventListener('click', action);
    return item;
  }

  function list(id, entries, total, none) {
    const rest = total - entries.length;
    if (rest > 0) entries.push(el('li', 'empty', `and ${number.format(rest)} more`));
    put(id + '-count', total > 0 ? number.format(total) : '');
    const kept = $(id).scrollTop;
    $(id).replaceChildren(...(entries.length ? entries : [el('li', 'empty', none)]));
    $(id).scrollTop = kept;
  }

  function waiting() {
    const {total, pods} = parts.waiting;
    list('waiting', pods.map(([namespace, name, since, why]) =>
      entry(namespace + '/' + name, age(since), why, () => openPod(namespace, name, since))), total, 'No pod waits for GPUs.');
  }

  function findings() {
    const {total, list: all} = parts.findings;
    list('findings', all.map(one => entry(one[0], one[1] || one[4].map(claim => claim.join('/')).join(', '), one[2], () => openFinding(one))), total, 'Nothing is wrong.');
  }

  function uses() {
    const namespaces = new Map();
    const models = new Map();
    for (const gpu of shown) {
      const model = of(models, gpu.model || 'unknown', {all: 0, used: 0});
      model.all++;
      if (gpu.holders.length > 0) model.used++;
      for (const holder of gpu.holders) {
        if (holder.since === 0) continue;
        const use = of(namespaces, holder.namespace, {whole: 0, parts: 0});
        if (holder.whole) use.whole++;
        else use.parts++;
      }
    }
    const most = Math.max(1, ...[...namespaces.values()].map(use => use.whole + use.parts));
    bars('namespaces', [...namespaces].sort(([, a], [, b]) => b.whole + b.parts - a.whole - a.parts), use =>
      [[use.whole && plural(use.whole, 'GPU'), use.parts && plural(use.parts, 'part')].filter(Boolean).join(' + '), (use.whole + use.parts) / most]);
    bars('models', [...models].sort(([, a], [, b]) => b.all - a.all), use =>
      [`${number.format(use.used)} of ${number.format(use.all)}`, use.used / use.all]);
  }

  function quotas() {
    const {total, list: all} = parts.quotas;
    $('quotas-panel').hidden = total === 0;
    put('quotas-count', all.length < total ? `the fullest ${number.format(all.length)} of ${number.format(total)}` : '');
    bars('quotas', all.map(([namespace, quota, resource, ...use]) => [`${namespace}/${quota} ${resource}`, use]), ([used, limit, share]) =>
      [`${used} of ${limit}`, share / 1000, share >= 1000]);
  }

  function of(map, key, none) {
    if (!map.has(key)) map.set(key, none);
    return map.get(key);
  }

  function bars(id, entries, text) {
    const items = entries.slice(0, 50).map(([name, use]) => {
      const item = el('li');
      const [said, share, full] = text(use);
      const line = item.appendChild(el('div', 'line'));
      line.append(el('span', '', name), el('span', '', said));
      line.firstChild.title = name;
      item.appendChild(el('div', 'meter')).appendChild(el('i', full ? 'full' : '')).style.width = Math.min(share, 1) * 100 + '%';
      return item;
    });
    $(id).replaceChildren(...(items.length ? items : [el('li', 'empty', 'No GPUs are allocated.')]));
  }

  // ---------------------------------------------------------------- what one is about

  function show(title, aboutIt, subjects, text) {
    hover(null);
    put('detail-title', title);
    put('detail-about', aboutIt);
    put('detail-text', text || '');
    $('detail-tabs').replaceChildren(...subjects.map(subject => {
      const tab = el('button', '', `${subject.kind} ${subject.namespace}/${subject.name}`);
      tab.type = 'button';
      tab.addEventListener('click', () => explain(subject, tab));
      return tab;
    }));
    if (!$('detail').open) $('detail').showModal();
    if (subjects.length > 0 && !text) explain(subjects[0], $('detail-tabs').firstChild);
  }

  function open(gpu) {
    const subjects = gpu.holders.map(holder => ({kind: 'claim', namespace: holder.namespace, name: holder.claim}));
    show(gpu.node.name + ' · ' + gpu.name, describe(gpu) + '\n' + gpu.uuid,
      subjects.filter((one, i) => subjects.findIndex(other => other.namespace === one.namespace && other.name === one.name) === i));
  }

  function openPod(namespace, name, since) {
    show(namespace + '/' + name, 'Waits for ' + age(since), [{kind: 'pod', namespace, name}]);
  }

  function openFinding([kind, node, what, todo, claims]) {
    show(kind + (node ? ' on ' + node : ''), what,
      claims.map(([namespace, name]) => ({kind: 'claim', namespace, name})), 'What to do:\n' + todo);
  }

  async function explain(subject, tab) {
    for (const one of $('detail-tabs').children) one.setAttribute('aria-pressed', String(one === tab));
    put('detail-text', 'Asking…');
    let text;
    try {
      text = await (await fetch('/explain?' + new URLSearchParams(subject))).text();
    } catch (e) {
      text = 'The command does not answer: ' + e.message;
    }
    if (tab.isConnected && tab.getAttribute('aria-pressed') === 'true') put('detail-text', text);
  }

  // ---------------------------------------------------------------- the connection

  function say(trouble) {
    lost = trouble;
    const asOf = at > 0 ? new Date(at * 1000).toLocaleTimeString('en-GB') : '';
    $('banner').hidden = !trouble;
    put('banner', trouble ? trouble + (asOf ? ' What you see is as of ' + asOf + '.' : '') : '');
    $('main').classList.toggle('old', Boolean(trouble) && read);
    $('status').classList.toggle('live', !trouble && read);
    $('status').classList.toggle('lost', Boolean(trouble));
    put('status-text', (trouble ? 'Not live' : read ? 'Live' : 'Reading the cluster…') + (asOf ? ' · ' + asOf : ''));
  }

  function connect() {
    if (stream) stream.close();
    stream = new EventSource('/events');
    stream.onmessage = event => take(JSON.parse(event.data));
    stream.onerror = () => {
      say('The connection to kubectl gpudra dashboard is lost; retrying. If it was stopped, start it again and open the new address.');
      if (stream.readyState === EventSource.CLOSED) setTimeout(connect, AGAIN);
    };
  }

  // ---------------------------------------------------------------- the beginning

  function dye() {
    const style = getComputedStyle(document.documentElement);
    font = style.fontFamily;
    colours = Object.fromEntries([...COLOURS, 'free-line', 'ink', 'mark', 'focus', 'quiet', 'line', 'panel']
      .map(name => [name, style.getPropertyValue('--' + name).trim()]));
    document.querySelectorAll('.tile').forEach((tile, i) => paintSwatch(tile.firstChild, 22, i));
    if (layout) {
      draw();
      rows();
    }
  }

  function begin() {
    dye();
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', dye);
    $('filter').addEventListener('input', event => {
      words = event.target.value.toLowerCase().split(/\s+/).filter(Boolean);
      $('table').scrollTop = 0;
      choose();
    });
    document.addEventListener('keydown', event => {
      if (event.key === '/' && !(event.target instanceof HTMLInputElement) && !$('detail').open) {
        $('filter').focus();
        event.preventDefault();
      }
    });
    for (const [id, by] of [['smaller', -1], ['larger', 1]]) {
      $(id).addEventListener('click', () => {
        chosen = layout.index + by;
        arrange();
      });
    }
    const map = $('map');
    map.addEventListener('scroll', () => draw(), {passive: true});
    map.addEventListener('mousemove', event => hover(hit(event), event));
    map.addEventListener('mouseleave', () => hover(null));
    map.addEventListener('click', event => {
      cursor = hit(event) || cursor;
      if (hit(event)) open(cursor);
    });
    map.addEventListener('keydown', mapKey);
    map.addEventListener('focus', () => draw());
    map.addEventListener('blur', () => draw());
    $('table').addEventListener('scroll', () => rows(), {passive: true});
    $('table').addEventListener('keydown', tableKey);
    $('detail-close').addEventListener('click', () => $('detail').close());
    $('detail').addEventListener('click', event => event.target === $('detail') && $('detail').close());
    new ResizeObserver(() => {
      if (layout) arrange();
      rows();
    }).observe(document.querySelector('.wide'));
    let hiding = 0;
    document.addEventListener('visibilitychange', () => {
      clearTimeout(hiding);
      // Browsers limit connections per host, so a hidden tab closes its own.
      if (document.hidden) hiding = setTimeout(() => stream.close(), HIDDEN);
      else if (stream.readyState === EventSource.CLOSED) connect();
    });
    setInterval(() => {
      if (!document.hidden && !lost && heardAt > 0 && Date.now() - heardAt > SILENCE) {
        say('No updates for a while; reconnecting.');
        connect();
      }
      if (read) {
        waiting();
        rows();
      }
    }, AGAIN * 5);
    connect();
  }

  begin();
})();
