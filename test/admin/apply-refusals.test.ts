import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { sharedTestApp } from '../support/app.ts';
import { createOperator, createPracticeFiles } from './command-line.ts';

const test = await sharedTestApp();
const operator = createOperator(test);
const { prisma } = test.database;
const { folder, createFile } = await createPracticeFiles();
const key = () => `refused-${randomUUID()}`;
const Made = z.object({ practices: z.array(z.object({ practice_id: z.int() })) });

it('a plan is refused where its file would be, at the same place, and nothing is changed', async () => {
  const name = key();
  const content = `key: ${name}\nname: A\ntime_zone: UTC\nitems:\n  - name: Weight\n`;
  const wrong = `${content}    min_target: 9\n    max_target: 1\n`;
  const file = await createFile(wrong);
  for (const way of ['--plan', '--yes']) {
    const said = await operator.say(`apply ${file} ${way}`);
    expect([said.code, said.err]).toEqual([1, expect.stringMatching(/:6: items\[0\]\.min_target: /)]);
    expect(said.err.includes('2 to add')).toBe(true);
  }
  expect(await prisma.organization.count({ where: { key: name } })).toBe(0);
  const { practices } = await operator.ask(Made, `apply ${await createFile(content)} --yes`);
  const before = await prisma.event.count();
  expect(await operator.say(`apply ${file} --plan`)).toMatchObject({ code: 1, err: expect.stringContaining('min_target') });
  const good = await createFile(`${content}    min_target: 1\n`);
  expect(await operator.say(`apply ${good} --plan`)).toMatchObject({ code: 0, out: expect.stringContaining('1 to change') });
  expect(await prisma.event.count()).toBe(before);
  expect((await prisma.item.findMany({ where: { organizationId: practices[0]?.practice_id ?? 0 } })).map(({ unit }) => unit)).toEqual([
    null,
  ]);
});

it('supervisors in a circle, and two items under one key, are refused by name', async () => {
  const name = key();
  const head = `key: ${name}\nname: A\ntime_zone: UTC\n`;
  const people = (ada: string, bo: string, cy: string) =>
    `${head}providers:\n${Object.entries({ Ada: ada, Bo: bo, Cy: cy })
      .map(([first, above]) => `  - { first_name: ${first}, last_name: Lee${above === '' ? '' : `, supervisor: ${above} Lee`} }\n`)
      .join('')}`;
  await operator.ask(Made, `apply ${await createFile(people('', 'Ada', 'Bo'))} --yes`);
  for (const wrong of [
    people('Cy', 'Ada', 'Bo'),
    people('Ada', 'Ada', 'Bo'),
    `${head}providers:\n  - { first_name: Ada, last_name: Lee, supervisor: Cy Lee }\n`,
  ]) {
    const said = await operator.say(`apply ${await createFile(wrong)} --plan`);
    expect([said.code, said.err]).toEqual([1, expect.stringMatching(/providers\[\d\]\.supervisor: makes a circle: .*Ada Lee/)]);
  }
  // Turned around, there is none.
  expect(
    await operator.say(`apply ${await createFile(people('Bo', 'Cy', 'null').replace('supervisor: null Lee', 'supervisor: null'))} --plan`),
  ).toMatchObject({ code: 0 });
  const twice = await createFile(`${head}offices:\n  - { key: north, name: North }\n  - { key: north, id: 7, name: South }\n`);
  expect(await operator.say(`apply ${twice} --plan`)).toMatchObject({
    code: 1,
    err: expect.stringContaining('This office is in the file twice.'),
  });
});

it('hours that name an office or a type that is not there are refused in words, of new and of known providers', async () => {
  const name = key();
  const known = `key: ${name}\nname: A\ntime_zone: UTC\noffices: [{ name: Main }]\nproviders:\n  - first_name: Ada\n    last_name: Lee\n`;
  const hours = (office: string, types: string) =>
    createFile(
      `${known}    hours: [{ office: ${office}, weekdays: [mon], from: "09:00", until: "12:00", appointment_types: [${types}] }]\n`,
    );
  const refused = async () => {
    const said = await operator.say(`apply ${await hours('North', 'Botox')} --plan`);
    expect([said.code, said.err.trim().split('\n')]).toEqual([
      1,
      [
        expect.stringMatching(/:8: providers\[0\]\.hours\[0\]\.office: There is no "North" among the offices\.$/),
        expect.stringMatching(/:8: .*appointment_types\[0\]: There is no "Botox" among the appointment types\.$/),
      ],
    ]);
  };
  await refused();
  await operator.ask(Made, `apply ${await hours('Main', '')} --yes`);
  await refused();
});

it('a second item of a name that differs only in case or accents is asked about', async () => {
  const name = key();
  const types = (...written: string[]) => createFile(`key: ${name}\nname: A\ntime_zone: UTC\nappointment_types: [${written.join(', ')}]\n`);
  const inOneFile = await operator.say(`apply ${await types('{ name: Café }', '{ name: cafe }')} --plan`);
  expect([inOneFile.code, inOneFile.err]).toEqual([1, expect.stringContaining('The name differs from "Café" only in case or accents.')]);
  const { practices } = await operator.ask(Made, `apply ${await types('{ name: Checkup }')} --yes`);
  const where = { organizationId: practices[0]?.practice_id ?? 0 };
  const { id } = await prisma.appointmentType.findFirstOrThrow({ where });
  expect(await operator.say(`apply ${await types('{ name: checkup }')} --yes`)).toEqual({
    code: 1,
    out: '',
    err: expect.stringMatching(
      new RegExp(
        `:4: appointment_types\\[0\\]: The name differs from "Checkup" \\(id ${id}\\) only in case or accents\\. Use that name, or give the new appointment type a key\\.`,
      ),
    ),
  });
  for (const meant of [`{ id: ${id}, name: checkup }`, '{ name: CHECKUP, key: other }']) {
    await operator.ask(Made, `apply ${await types(meant)} --yes`);
    expect(await operator.say(`apply ${await types(meant)} --plan`)).toMatchObject({ code: 0, out: expect.stringContaining('Nothing to') });
  }
  expect((await prisma.appointmentType.findMany({ where, orderBy: { id: 'asc' } })).map((type) => type.name)).toEqual([
    'checkup',
    'CHECKUP',
  ]);
  const exported = await createFile((await operator.say(`export-practice --practice ${where.organizationId}`)).out);
  expect(await operator.say(`apply ${exported} --plan`)).toMatchObject({ code: 0, out: expect.stringContaining('Nothing to change.') });
});

it('a refusal of the domain ends in one full stop', async () => {
  const file = (email: string) =>
    createFile(`key: ${key()}\nname: A\ntime_zone: UTC\nusers:\n  - { email: ${email}, first_name: A, last_name: B, role: staff }\n`);
  const email = `${key()}@clinic.example`;
  await operator.ask(Made, `apply ${await file(email)} --yes`);
  const { err } = await operator.say(`apply ${await file(email)} --plan`);
  expect(err).toMatch(/:5: users\[0\]\.email: This email is already in use for sign-in\.\n$/);
});

it('a key belongs to one practice, also among the files of one command', async () => {
  const [made, taken] = [key(), key()];
  const { practices } = await operator.ask(Made, `apply ${await createFile(`key: ${made}\nname: A\ntime_zone: UTC\n`)} --yes`);
  const foreign = await createFile(`practiceid: ${practices[0]?.practice_id}\nkey: ${taken}\n`);
  const said = await operator.say(`apply ${await createFile(`key: ${taken}\nname: B\ntime_zone: UTC\n`)} ${foreign} --yes`);
  expect(said).toMatchObject({ code: 1, out: '', err: expect.stringContaining(':2: key: is also in another file.') });
  expect(await prisma.organization.count({ where: { key: taken } })).toBe(0);
  await operator.ask(Made, `apply ${await createFile(`key: ${taken}\nname: B\ntime_zone: UTC\n`)} --yes`);
  expect(await operator.say(`apply ${foreign} --yes`)).toMatchObject({
    code: 1,
    err: expect.stringMatching(/:2: key: is that of practice \d+\./),
  });
});

it('messages about visits are in the file, with their types and templates', async () => {
  const name = key();
  const file = (rules: string) =>
    createFile(`key: ${name}
name: A
time_zone: UTC
appointment_types:
  - name: Follow-up
templates:
  - { key: soon, name: Soon, category: visit-reminder, body: "See you {{appointment time}}" }
visit_messages:
  rules:
${rules}`);
  const rules =
    '    - { kind: reminder, offsets: [2 days, 120m], template: soon, appointment_type: Follow-up }\n    - { kind: booked, enabled: false }\n';
  const { practices } = await operator.ask(Made, `apply ${await file(rules)} --yes`);
  const where = { organizationId: practices[0]?.practice_id ?? 0 };
  const stored = () => prisma.visitMessageRule.findMany({ where, orderBy: { id: 'asc' } });
  expect(await stored()).toMatchObject([
    { kind: 'reminder', offsets: ['2d', '2h'], enabled: true, templateId: expect.any(Number), appointmentTypeId: expect.any(Number) },
    { kind: 'booked', offsets: [], enabled: false, templateId: null, appointmentTypeId: null },
  ]);
  expect(await operator.say(`apply ${await file(rules)} --plan`)).toMatchObject({
    code: 0,
    out: expect.stringContaining('Nothing to change.'),
  });
  const exported = join(folder, 'exported.yaml');
  const { out } = await operator.say(`export-practice --practice ${where.organizationId}`);
  await writeFile(exported, out);
  expect(out).toContain('visit_messages:');
  expect(await operator.say(`apply ${exported} --plan`)).toMatchObject({
    code: 0,
    out: expect.stringContaining('Nothing to change.'),
  });
  const wrong = await operator.say(`apply ${await file('    - { kind: missed, offsets: [1d] }\n')} --plan`);
  expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining('missed is sent immediately')]);
  await operator.ask(Made, `apply ${await file('    - { kind: missed }\n')} --yes`);
  expect(await stored()).toMatchObject([{ kind: 'missed' }]);
});
