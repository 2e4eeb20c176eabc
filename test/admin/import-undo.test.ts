import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { sharedTestApp } from '../support/app.ts';
import { runWithoutTriggers } from '../support/database-roles.ts';
import { createOrganization } from '../support/factories.ts';
import { removeFolder } from '../support/scratch.ts';
import { createOperator } from './command-line.ts';

const test = await sharedTestApp();
const { prisma } = test.database;
const operator = createOperator(test);
const folder = await mkdtemp(join(tmpdir(), 'triptych-undo-'));
afterAll(() => removeFolder(folder));

const Result = z.object({ id: z.int(), created: z.int(), updated: z.int() });
const Undone = z.object({ removed: z.int(), kept: z.array(z.object({ patient_id: z.int(), kept_for: z.array(z.string()) })) });

const HEADER = 'external_id,firstname,lastname,dob,phone';
const toLine = (name: string) => `${name},${name},Byron,1990-12-10,`;

async function importFile(practice: number, lines: readonly string[], more = '') {
  const file = join(folder, `${practice}.csv`);
  await writeFile(file, [HEADER, ...lines, ''].join('\n'));
  return operator.ask(Result, `import patients ${file} --practice ${practice} --on-match update${more}`);
}

const undo = (id: number, practice: number) => operator.ask(Undone, `imports undo ${id} --practice ${practice}`);
const listCharts = async (organizationId: number) =>
  (await prisma.patient.findMany({ where: { organizationId }, orderBy: { id: 'asc' } })).map(({ firstName }) => firstName);
const findChart = (organizationId: number, externalId: string) =>
  prisma.patient.findFirstOrThrow({ where: { organizationId, externalId } });

describe('imports undo', () => {
  it('removes new charts, keeps those in use and says for what, and leaves charts that were updated', async () => {
    const { id } = await createOrganization(prisma);
    await importFile(id, [toLine('Old')]);
    const {
      id: number,
      created,
      updated,
    } = await importFile(id, ['Old,Older,Byron,1990-12-10,', ...['Ada', 'Bo', 'Cy', 'Di'].map(toLine)]);
    expect({ created, updated }).toEqual({ created: 4, updated: 1 });
    const [bo, cy] = [await findChart(id, 'Bo'), await findChart(id, 'Cy')];
    await prisma.appointment.create({ data: { organizationId: id, patientId: bo.id, durationMinutes: 15, timeZone: 'UTC' } });
    await importFile(id, ['Cy,Cyrus,Byron,1990-12-10,']);
    const said = await operator.say(`imports undo ${number} --practice ${id}`);
    expect(said).toMatchObject({ code: 0, err: '', out: expect.stringMatching(/removed +2\nkept +2\n/) });
    expect(said.out).toMatch(new RegExp(`${bo.id} +Appointments\n${cy.id} +Later changes\n$`));
    expect(await listCharts(id)).toEqual(['Older', 'Bo', 'Cyrus']);
    expect(await undo(number, id)).toEqual({
      removed: 0,
      kept: [
        { patient_id: bo.id, kept_for: ['Appointments'] },
        { patient_id: cy.id, kept_for: ['Later changes'] },
      ],
    });
  });

  it('names the id of each import, the latest first', async () => {
    const { id } = await createOrganization(prisma);
    const { id: first } = await importFile(id, [toLine('Ada')]);
    const { id: second } = await importFile(id, [toLine('Bo')]);
    const listed = await operator.ask(
      z.array(z.object({ id: z.int(), kind: z.string(), created: z.int() })),
      `imports list --practice ${id}`,
    );
    expect(listed).toEqual([second, first].map((number) => ({ id: number, kind: 'patients', created: 1 })));
  });

  it('records each chart as erased and withdrawn, and frees its numbers', async () => {
    const { id } = await createOrganization(prisma);
    const { id: number } = await importFile(id, [toLine('Ada')]);
    const ada = await findChart(id, 'Ada');
    await undo(number, id);
    const events = await prisma.event.findMany({
      where: { organizationId: id, subjectType: 'patient', subjectId: ada.id },
      orderBy: { id: 'asc' },
    });
    expect(events.map(({ name, requestId }) => [name, requestId])).toEqual([
      ['patient.imported', `import-${number}`],
      ['patient.erased', null],
      ['patient.withdrawn', null],
    ]);
    const audit = await prisma.auditEntry.findMany({ where: { organizationId: id, action: 'delete' } });
    expect(audit).toMatchObject([
      {
        resource: 'patient',
        resourceIds: [ada.id],
        operation: 'admin imports undo',
        detail: `import ${number} undone`,
        actor: 'operator:tester',
      },
    ]);
    expect(await importFile(id, [toLine('Ada')])).toMatchObject({ created: 1 });
  });

  it('ends an import that was cut off', async () => {
    const { id } = await createOrganization(prisma);
    const { id: number } = await importFile(id, [toLine('Ada')]);
    // As a killed command leaves it.
    await prisma.importRun.updateMany({ where: { organizationId: id }, data: { state: 'running', finishedAt: null } });
    expect(await undo(number, id)).toEqual({ removed: 1, kept: [] });
    expect(await prisma.importRun.findFirst({ where: { organizationId: id } })).toMatchObject({
      state: 'failed',
      failure: 'The import was undone.',
    });
  });

  it('removes nothing of a practice under a legal hold', async () => {
    const { id } = await createOrganization(prisma);
    const { id: number } = await importFile(id, [toLine('Ada')]);
    await operator.say(`legal-holds place --practice ${id} --reason court`);
    expect(await undo(number, id)).toMatchObject({ removed: 0, kept: [{ kept_for: ['Legal holds'] }] });
  });

  it('refuses an import whose events are no longer kept', async () => {
    const { id } = await createOrganization(prisma);
    const { id: number } = await importFile(id, [toLine('Ada')]);
    await runWithoutTriggers(test.databaseUrl, `DELETE FROM event WHERE organization_id = ${id} AND name = 'patient.imported'`);
    expect(await operator.say(`imports undo ${number} --practice ${id}`)).toEqual({
      code: 1,
      out: '',
      err: 'The events that name the new charts of this import are no longer kept.\n',
    });
    expect(await listCharts(id)).toEqual(['Ada']);
  });

  it('refuses imports of another kind, of another practice, and unknown ones', async () => {
    const [{ id }, other] = [await createOrganization(prisma), await createOrganization(prisma)];
    const { id: number } = await importFile(id, [toLine('Ada')]);
    const file = join(folder, 'contacts.csv');
    await writeFile(file, 'phone,lastname\n919 555 0171,Ek\n');
    const contacts = await operator.ask(Result, `import contacts ${file} --practice ${id}`);
    expect(await operator.say(`imports undo ${contacts.id} --practice ${id}`)).toEqual({
      code: 1,
      out: '',
      err: 'Only imports of patients can be undone; this one is of contacts.\n',
    });
    expect(await operator.say(`imports undo ${number} --practice ${other.id}`)).toMatchObject({
      code: 1,
      err: 'There is no such import.\n',
    });
    expect(await listCharts(id)).toEqual(['Ada']);
  });
});
