/** Writes a file to import: `node bench/import-file.ts patients|appointments <rows>`. The same rows each time, in CSV. */
const [kind, count] = [process.argv[2], Number(process.argv[3])];
if ((kind !== 'patients' && kind !== 'appointments') || !Number.isInteger(count)) {
  console.error('usage: node bench/import-file.ts patients|appointments <rows>');
  process.exit(2);
}

let state = 1;
/** A number below `most`, of a fixed sequence. */
const draw = (most: number): number => {
  state = (state * 48_271) % 2_147_483_647;
  return state % most;
};
const drawOne = (list: readonly string[]): string => list[draw(list.length)] ?? '';
const digits = (number: number, length: number): string => String(number).padStart(length, '0');

const SYLLABLES = [
  'an',
  'be',
  'cor',
  'del',
  'er',
  'fi',
  'gar',
  'hol',
  'is',
  'jor',
  'ka',
  'lin',
  'mo',
  'nel',
  'os',
  'per',
  'ru',
  'sa',
  'ta',
  'vin',
];
const AREAS = ['919', '910', '704', '336', '828', '252'];
const name = (syllables: number): string => {
  const letters = Array.from({ length: syllables }, () => drawOne(SYLLABLES)).join('');
  return `${letters.slice(0, 1).toUpperCase()}${letters.slice(1)}`;
};
const day = (from: number, years: number): string => `${from + draw(years)}-${digits(1 + draw(12), 2)}-${digits(1 + draw(28), 2)}`;
const phone = (): string => `${drawOne(AREAS)}${300 + draw(180)}${digits(draw(10_000), 4)}`;

const patient = (n: number): string =>
  [
    `k-${n}`,
    name(2),
    name(3),
    day(1930, 90),
    drawOne(['M', 'F']),
    `${1 + draw(9_000)} ${name(2)} Street`,
    name(3),
    'NC',
    digits(27_000 + draw(999), 5),
    phone(),
    phone(),
    `p${n}@example.com`,
  ].join(',');
const appointment = (n: number): string =>
  [`a-${n}`, `k-${n}`, `${day(2024, 3)}T${digits(8 + draw(9), 2)}:${drawOne(['00', '15', '30', '45'])}`, '30'].join(',');

const [head, row] =
  kind === 'patients'
    ? (['external_id,firstname,lastname,dob,sex,address1,city,state,zip,homephone,mobilephone,email', patient] as const)
    : (['external_id,patient_external_id,appointment_date,duration_minutes', appointment] as const);
process.stdout.on('error', () => process.exit(0));
process.stdout.write(`${head}\n`);
for (let n = 0; n < count; n += 1_000) {
  const rows = Array.from({ length: Math.min(1_000, count - n) }, (_, k) => `${row(n + k)}\n`).join('');
  if (!process.stdout.write(rows)) await new Promise((resolve) => process.stdout.once('drain', resolve));
}
