// Gloves by size; those of one hand that wait for a partner are a queue.
const words = require('fs').readFileSync(0, 'utf8').trim().split(/\s+/);
let at = 0;
const out = [];
for (let t = Number(words[at++]); t > 0; t--) {
  const n = Number(words[at++]), d = Number(words[at++]);
  const gloves = [];
  for (let i = 0; i < n; i++, at += 2) gloves.push([Number(words[at + 1]), words[at]]);
  gloves.sort((a, b) => a[0] - b[0]);
  let queue = [], head = 0, hand = '', pairs = 0;
  for (const [size, which] of gloves) {
    while (head < queue.length && queue[head] < size - d) head++;
    if (head === queue.length || hand === which) {
      if (hand !== which) { queue = []; head = 0; hand = which; }
      queue.push(size);
    } else {
      head++;
      pairs++;
    }
  }
  out.push(pairs);
}
console.log(out.join('\n'));
