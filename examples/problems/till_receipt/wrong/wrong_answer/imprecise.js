// The sum has more than 53 bits.
const lines = require('fs').readFileSync(0, 'utf8').trim().split('\n');
let sum = 0;
for (const line of lines.slice(1)) {
  const [q, price, rate] = line.split(' ');
  const cents = Number(price.replace('.', ''));
  sum += Number(q) * (cents + Math.floor((cents * Number(rate) + 500) / 1000));
}
console.log((sum / 100).toFixed(2));
