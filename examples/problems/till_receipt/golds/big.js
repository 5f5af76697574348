const lines = require('fs').readFileSync(0, 'utf8').trim().split('\n');
let sum = 0n;
for (const line of lines.slice(1)) {
  const [q, price, rate] = line.split(' ');
  const cents = Number(price.replace('.', ''));
  const taxed = cents + Math.floor((cents * Number(rate) + 500) / 1000);
  sum += BigInt(q) * BigInt(taxed);
}
const digits = sum.toString().padStart(3, '0');
console.log(digits.slice(0, -2) + '.' + digits.slice(-2));
