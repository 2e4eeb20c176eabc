/**
 * Makes src/domain/identity/passwords/common-passwords.bin from a list with one password a line, the commonest first:
 * `node scripts/common-passwords.ts 10-million-password-list-top-1000000.txt`. The list is that of SecLists (MIT), the folder
 * Passwords/Common-Credentials. The 100,000 commonest of at least 8 characters are taken, without regard to case; each is
 * stored as the first five bytes of its SHA-256, in order.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { COMMON_PASSWORDS_FILE, commonPasswordKey, KEY_BYTES } from '../src/domain/identity/passwords/common-passwords.ts';

const COUNT = 100_000;
const SHORTEST = 8;

const [list] = process.argv.slice(2);
if (list === undefined) {
  console.error('usage: node scripts/common-passwords.ts list.txt');
  process.exit(2);
}
const keys = new Set<string>();
for (const line of (await readFile(list, 'utf8')).split('\n')) {
  if (keys.size === COUNT) break;
  const password = line.replace(/\r$/, '');
  if ([...password].length >= SHORTEST) keys.add(commonPasswordKey(password).toString('hex'));
}
await writeFile(COMMON_PASSWORDS_FILE, Buffer.from([...keys].sort().join(''), 'hex'));
console.log(`wrote ${keys.size} keys of ${KEY_BYTES} bytes`);
