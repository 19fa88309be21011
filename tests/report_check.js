// Checks pages in frames of a phone's and a desktop's width. Writes one line per page into #outcome:
// "NAME: ok", or "NAME: " and the faults.
'use strict';

const NARROWEST = 2; // px by which an element may stick out, because of rounding

function findings(frame) {
  const page = frame.contentDocument, wrong = [];
  page.querySelectorAll('details').forEach(fold => { fold.open = true; });
  const width = page.documentElement.clientWidth;
  if (page.documentElement.scrollWidth > width) {
    wrong.push(`${page.documentElement.scrollWidth} px wide in ${width}`);
  }
  for (const element of page.body.querySelectorAll('*')) {
    if (element.closest('.scroll') || element.closest('svg') || !element.getClientRects().length) continue;
    if (element.getBoundingClientRect().right > width + NARROWEST) {
      wrong.push(`<${element.tagName}> stands out: ${element.textContent.trim().slice(0, 40)}`);
    }
  }
  const charts = page.querySelectorAll('figure.chart');
  if (!charts.length) wrong.push('no chart');
  for (const chart of charts) {
    const name = chart.querySelector('figcaption').textContent;
    const marks = chart.querySelectorAll('.mark').length;
    if (marks !== Number(chart.dataset.marks)) wrong.push(`${name}: ${marks} marks, not ${chart.dataset.marks}`);
    const box = chart.getBoundingClientRect();
    for (const text of chart.querySelectorAll('svg text')) {
      const at = text.getBoundingClientRect();
      if (!at.width) continue;
      if (at.left < box.left - NARROWEST || at.right > box.right + NARROWEST) {
        wrong.push(`${name}: "${text.textContent}" is cut off`);
      }
    }
    for (const mark of chart.querySelectorAll('.mark')) {
      const at = mark.getBoundingClientRect();
      if (!(at.width > 0 || at.height > 0)) wrong.push(`${name}: a mark without size`);
      if (/NaN/.test(mark.outerHTML)) wrong.push(`${name}: NaN`);
    }
  }
  return wrong;
}

function settle(frame) {
  // Charts in a fold are drawn in an event after it opens.
  frame.contentDocument.querySelectorAll('details').forEach(fold => { fold.open = true; });
  return new Promise(done => setTimeout(done, 100));
}

window.addEventListener('load', async () => {
  const lines = [];
  for (const frame of document.querySelectorAll('iframe')) {
    await settle(frame);
    lines.push(`${frame.title}: ${findings(frame).join('; ') || 'ok'}`);
  }
  document.getElementById('outcome').textContent = lines.join('\n');
});
