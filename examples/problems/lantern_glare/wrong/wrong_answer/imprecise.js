// A JavaScript number has 53 bits, the sum up to 63.
const words = require('fs').readFileSync(0, 'utf8').split(/\s+/).map(Number);
const b = words.slice(1, words[0] + 1).sort((x, y) => x - y);
let sum = 0;
b.forEach((x, i) => { sum += x * i; });
console.log(String(sum));
