import { expect, it } from 'vitest';
import { withoutTableLines, writeTables } from '../../scripts/tables.ts';

const model = (lines: readonly string[], columns: readonly string[] = ['patientId Int @map("patient_id")']) =>
  [...lines.map((line) => `/// ${line}`), 'model Note {', ...columns.map((column) => `  ${column}`), '  @@map("note")', '}', ''].join('\n');
const write = (text: string) => writeTables([{ name: 'notes.prisma', text }]);
const WHOLE = ['placement: distributed', 'erasure: "Notes" by patient_id', 'merge: by id unless w.kind = t.kind'];
const COLUMNS = ['organizationId Int @map("organization_id")', 'id BigInt', 'patientId Int @map("patient_id")', 'kind String'];

it('a table is written with what its lines say', () => {
  expect(write(model(['A note.', ...WHOLE], COLUMNS))).toContain(
    '{"name":"note","isOfPractice":true,"placement":"distributed","erasure":{"title":"Notes","links":[{"column":"patient_id"}]},"merge":{"by":"id","unless":"w.kind = t.kind"}}',
  );
});

it.each(['placement', 'erasure', 'merge'])('a model of a patient without its line of %s is refused by name', (word) => {
  const rest = WHOLE.filter((line) => !line.startsWith(word));
  expect(() => write(model(rest, COLUMNS))).toThrow(`prisma/schema/notes.prisma: model Note lacks the line "/// ${word}: …"`);
});

it('a model with an instant at which rows expire needs its line, and a table of no patient needs no line of a merge', () => {
  const lines = ['placement: local -- tokens of all practices', 'erasure: none -- about users'];
  const columns = ['hash Bytes', 'expiresAt DateTime @map("expires_at") @db.Timestamptz(3)'];
  expect(() => write(model(lines, columns))).toThrow('model Note lacks the line "/// expiry: …"');
  expect(write(model([...lines, 'expiry: expires_at < now() -- once'], columns))).toContain('"expiry":"expires_at < now()"');
});

it.each([
  'placement: local',
  'placement: elsewhere -- somewhere',
  'erasure: none',
  'erasure: "Notes" by chart_id',
  'merge: stays',
  'merge: by number',
  'expiry: some day',
])('a line that cannot be read is refused: %s', (wrong) => {
  const lines = [...WHOLE.filter((line) => line.split(':')[0] !== wrong.split(':')[0]), wrong];
  expect(() => write(model(lines, COLUMNS))).toThrow(`model Note has a line that cannot be read, "/// ${wrong}"`);
});

it('links lead to columns that exist, and in no circle; continued lines are one', () => {
  const to = (link: string) => model(['placement: distributed', `erasure: "Notes" by id,\n///   ${link}`, 'merge: by id'], COLUMNS);
  expect(write(to('patient_id'))).toContain('[{"column":"id"},{"column":"patient_id"}]');
  expect(() => write(to('id = chart.id'))).toThrow('names chart.id, which is no column of a model');
  expect(() => write(to('id = note.patient_id'))).toThrow('in a circle: note');
});

it('Prisma reads the schema without these lines', () => {
  expect(withoutTableLines(model(['A note.', 'erasure: "Notes" by id,', '  patient_id']))).toBe(model(['A note.']));
});
