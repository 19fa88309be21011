// Draws every figure.chart from the JSON inside it, with d3. Marks are elements of class "mark"; the figure's
// data-marks is their expected number.
'use strict';
(() => {
  const SERIES = 8; // classes s0..s7 in page.css: colour and dash

  const kinds = { bars: drawBars, lines: drawLines, roofline: drawRoofline };

  function canvas(figure, width, height, label) {
    return d3.select(figure).insert('svg', 'script')
      .attr('viewBox', `0 0 ${width} ${height}`).attr('role', 'img').attr('aria-label', label);
  }

  const short = value => {
    if (value === 0) return '0';
    const size = Math.abs(value);
    return size >= 1e15 || size < 1e-3 ? value.toExponential(1) : d3.format(size < 1 ? '.2~r' : '.3~s')(value);
  };

  // Draws rows with a label above a bar, whiskers for the spread, and a reference line.
  function drawBars(figure, data, width) {
    const row = 38, top = 20, bottom = 34, values = 70;
    const height = top + data.rows.length * row + bottom;
    const svg = canvas(figure, width, height, data.title);
    const x = d3.scaleLinear().range([4, width - values])
      .domain([0, d3.max(data.rows, d => Math.max(d.high, d.value, d.measured || 0)) || 1]).nice();
    svg.append('g').attr('class', 'axis').attr('transform', `translate(0,${height - bottom})`)
      .call(d3.axisBottom(x).ticks(Math.max(2, Math.floor(width / 90))).tickFormat(short));
    svg.append('text').attr('class', 'unit').attr('x', width - values).attr('y', height - 3)
      .attr('text-anchor', 'end').text(data.unit);
    const rows = svg.selectAll('.row').data(data.rows).enter().append('g').attr('class', 'row')
      .attr('transform', (d, i) => `translate(0,${top + i * row})`);
    rows.append('rect').attr('class', d => `mark ${d.side}`).attr('x', x(0)).attr('y', 17)
      .attr('height', 13).attr('width', d => Math.max(0.5, x(d.value) - x(0)));
    const spread = rows.filter(d => d.high > d.low);
    spread.append('path').attr('class', 'spread')
      .attr('d', d => `M${x(d.low)},19v9M${x(d.low)},23.5H${x(d.high)}M${x(d.high)},19v9`);
    rows.filter(d => d.measured !== undefined).append('path').attr('class', 'measured')
      .attr('d', d => `M${x(d.measured)},17l5,6.5l-5,6.5l-5,-6.5z`);
    if (data.line) {
      const at = x(data.line.value), right = at > width / 2;
      svg.append('path').attr('class', 'beat').attr('d', `M${at},${top}V${height - bottom}`);
      svg.append('text').attr('class', 'beat-label').attr('x', at + (right ? -4 : 4)).attr('y', 11)
        .attr('text-anchor', right ? 'end' : 'start').text(data.line.label);
    }
    const labels = svg.selectAll('.label').data(data.rows).enter().append('g').attr('class', 'label')
      .attr('transform', (d, i) => `translate(0,${top + i * row})`);
    labels.append('text').attr('class', 'value').attr('x', 2).attr('y', 12).text(d => d.label);
    labels.append('text').attr('class', 'value').attr('x', width - 2).attr('y', 28)
      .attr('text-anchor', 'end').text(d => d.text);
    rows.append('title').text(d => `${d.label}: ${d.text} ${data.unit}; spread ${short(d.low)} to ${short(d.high)}`);
  }

  function frame(svg, data, width, height, margin, x, y) {
    const inner = height - margin.bottom;
    const ticks = Math.max(2, Math.floor(width / 100));
    const xAxis = d3.axisBottom(x).tickFormat(short).tickSizeOuter(0)
      .tickValues(data.xTicks || x.ticks(ticks).filter(Number.isInteger));
    if (data.xNames) xAxis.tickValues(d3.range(data.xNames.length)).tickFormat(i => data.xNames[i]);
    svg.append('g').attr('class', 'axis').attr('transform', `translate(0,${inner})`).call(xAxis);
    const yAxis = d3.axisLeft(y).ticks(5).tickSizeInner(margin.left + margin.right - width);
    // d3's own format shows all digits that distinguish ticks; large figures need SI prefixes instead.
    if (y.domain()[1] >= 1e4) yAxis.tickFormat(short);
    if (data.yTicks) yAxis.tickValues(data.yTicks);
    svg.append('g').attr('class', 'axis grid').attr('transform', `translate(${margin.left},0)`)
      .call(yAxis);
    svg.append('text').attr('class', 'unit').attr('x', width - 2).attr('y', height - 3)
      .attr('text-anchor', 'end').text(data.xLabel);
    svg.append('text').attr('class', 'unit').attr('x', 2).attr('y', 11).text(data.yLabel);
  }

  // Draws curves; a null value is a gap.
  function drawLines(figure, data, width) {
    const height = Math.min(300, Math.max(200, width * 0.45));
    const margin = { left: 48, right: 12, top: 20, bottom: 36 };
    const svg = canvas(figure, width, height, data.title);
    const points = data.series.flatMap(s => s.points).filter(p => p[1] !== null);
    const xScale = data.xLog ? d3.scaleLog().base(2) : d3.scaleLinear();
    const x = xScale.domain(d3.extent(points, p => p[0])).range([margin.left, width - margin.right]);
    let [low, high] = d3.extent(points, p => p[1]);
    if (data.fromZero) low = 0;
    if (!(high > low)) { const room = Math.abs(low) * 0.01 || 1; low -= room; high += room; }
    const y = d3.scaleLinear().domain([low, high]).nice().range([height - margin.bottom, margin.top]);
    if (data.xLog) data.xTicks = data.series[0].points.map(p => p[0]);
    frame(svg, data, width, height, margin, x, y);
    const line = d3.line().defined(p => p[1] !== null).x(p => x(p[0])).y(p => y(p[1]));
    svg.selectAll('.mark').data(data.series).enter().append('path')
      .attr('class', (s, i) => `mark curve s${i % SERIES}`).attr('d', s => line(s.points))
      .append('title').text(s => s.name);
    if (data.dots || points.length === data.series.length) {
      data.series.forEach((s, i) => svg.append('g').selectAll('circle').data(s.points.filter(p => p[1] !== null))
        .enter().append('circle').attr('class', `dot s${i % SERIES}`).attr('r', 3)
        .attr('cx', p => x(p[0])).attr('cy', p => y(p[1]))
        .append('title').text(p => `${s.name}: ${short(p[0])} → ${short(p[1])}`));
    }
    legend(figure, data.series.map(s => s.name));
    if (!data.dots) readout(svg, data, x, y, width, height, margin);
  }

  // Shows the values at the pointer.
  function readout(svg, data, x, y, width, height, margin) {
    const cursor = svg.append('path').attr('class', 'cursor');
    const label = svg.append('text').attr('class', 'value').attr('y', 11).attr('x', width - 2).attr('text-anchor', 'end');
    const nearest = d3.bisector(p => p[0]);
    svg.on('mousemove touchmove', function () {
      const at = x.invert(d3.mouse(this)[0]);
      const first = data.series[0].points;
      const point = first[Math.min(first.length - 1, nearest.left(first, at))];
      cursor.attr('d', `M${x(point[0])},${margin.top}V${height - margin.bottom}`);
      const values = data.series.slice(0, 3).map(s => {
        const p = s.points[Math.min(s.points.length - 1, nearest.left(s.points, point[0]))];
        return p[1] === null ? '–' : d3.format('.5~g')(p[1]);
      });
      label.text(`${point[0]}: ${values.join(', ')}`);
    }).on('mouseleave', () => { cursor.attr('d', null); label.text(''); });
  }

  function legend(figure, names) {
    const items = d3.select(figure).insert('ul', 'script').attr('class', 'legend')
      .selectAll('li').data(names).enter().append('li');
    items.append('svg').attr('viewBox', '0 0 24 8').attr('aria-hidden', 'true')
      .append('path').attr('class', (n, i) => `curve s${i % SERIES}`).attr('d', 'M0,4H24');
    items.append('span').text(n => n);
  }

  // Draws instructions per second over instructions per memory request, with the two highest rates as roofs.
  function drawRoofline(figure, data, width) {
    const height = Math.min(420, Math.max(280, width * 0.6));
    const margin = { left: 48, right: 16, top: 20, bottom: 36 };
    const svg = canvas(figure, width, height, data.title);
    const xs = d3.extent(data.points, p => p.x), ys = d3.extent(data.points, p => p.y);
    const x = d3.scaleLog().domain([xs[0] / 2, xs[1] * 2]).range([margin.left, width - margin.right]);
    const y = d3.scaleLog().domain([ys[0] / 3, data.compute * 2]).range([height - margin.bottom, margin.top]);
    data.xTicks = sparse(x, 5);
    data.yTicks = sparse(y, 5);
    frame(svg, data, width, height, margin, x, y);
    const ridge = data.compute / data.memory, [left, right] = x.domain();
    const bottom = y.domain()[0];
    const start = Math.max(left, bottom / data.memory);
    const roof = [];
    if (start < ridge) roof.push([start, start * data.memory]);
    if (ridge > left && ridge < right) roof.push([ridge, data.compute]);
    roof.push(ridge < right ? [right, data.compute] : [right, right * data.memory]);
    if (ridge <= left) roof.unshift([left, data.compute]);
    svg.append('path').attr('class', 'roof').attr('d', d3.line().x(p => x(p[0])).y(p => y(p[1]))(roof));
    const dots = svg.selectAll('.mark').data(data.points).enter().append('g')
      .attr('transform', p => `translate(${x(p.x)},${y(p.y)})`);
    dots.append('circle').attr('class', 'mark dot qpu').attr('r', 9);
    dots.append('text').attr('class', 'number').attr('text-anchor', 'middle').attr('y', 4).text((p, i) => i + 1);
    dots.append('title').text(p => `${p.label}: ${short(p.x)} instructions a request, ${short(p.y)} instructions/s`);
    d3.select(figure).insert('ol', 'script').attr('class', 'legend')
      .selectAll('li').data(data.points).enter().append('li').text(p => p.label);
  }

  // Returns ticks of a logarithmic scale: 1, 2 and 5 times each power of ten, or fewer if too many.
  function sparse(scale, most) {
    const [low, high] = scale.domain();
    const powers = d3.range(Math.floor(Math.log10(low)), Math.log10(high));
    const choices = [[1, 2, 5], [1, 3], [1]].map(steps =>
      powers.flatMap(e => steps.map(step => step * 10 ** e)).filter(t => t >= low && t <= high));
    const few = choices.find(ticks => ticks.length <= most);
    return few || choices[2].filter((t, i) => i % Math.ceil(choices[2].length / most) === 0);
  }

  function draw(figure) {
    const data = JSON.parse(figure.querySelector('script').textContent);
    d3.select(figure).selectAll('svg, .legend').remove();
    const width = Math.floor(figure.clientWidth);
    if (width > 0) kinds[data.kind](figure, data, width);
  }

  function drawAll() { document.querySelectorAll('figure.chart').forEach(draw); }

  document.documentElement.classList.add('drawn');
  drawAll();
  let drawnWidth = window.innerWidth, waiting = 0;
  window.addEventListener('resize', () => {
    if (window.innerWidth === drawnWidth) return; // a phone's address bar changes only the height
    drawnWidth = window.innerWidth;
    clearTimeout(waiting);
    waiting = setTimeout(drawAll, 100);
  });
  // A chart in a closed fold has no width, so it is drawn when the fold opens. Printing opens all folds.
  document.querySelectorAll('details').forEach(fold => fold.addEventListener('toggle',
    () => fold.open && fold.querySelectorAll('figure.chart').forEach(draw)));
  // A link into a closed fold opens it.
  const unfold = () => {
    const target = document.getElementById(decodeURIComponent(window.location.hash.slice(1)));
    if (target && target.tagName === 'DETAILS') target.open = true;
  };
  window.addEventListener('hashchange', unfold);
  unfold();
  window.addEventListener('beforeprint', () => {
    document.querySelectorAll('details').forEach(fold => { fold.open = true; });
    drawAll();
  });
})();
