const words = require('fs').readFileSync(0, 'utf8').trim().split(/\s+/).map(Number);
const n = words[0];
let low = 0, high = 1e6;
for (let step = 0; step < 80; step++) {
  const t = (low + high) / 2;
  let from = -Infinity, to = Infinity;
  for (let i = 0; i < n; i++) {
    const x = words[1 + 2 * i], reach = t * words[2 + 2 * i];
    if (x - reach > from) from = x - reach;
    if (x + reach < to) to = x + reach;
  }
  if (from <= to) high = t; else low = t;
}
console.log(((low + high) / 2).toExponential(12));
