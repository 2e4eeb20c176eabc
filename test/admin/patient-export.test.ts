import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { storeFile } from '../../src/domain/files/stored-files.ts';
import { LEFT_OUT_COLUMNS, PATIENT_TABLES } from '../../src/domain/patient-rights/patient-tables.ts';
import { PATIENT, PATIENT_ID } from '../contract/restricted-chart.ts';
import { openFurnished } from '../contract/tenant.ts';
import { integrationClient, practiceClient } from '../support/actors.ts';
import { closedAfterAll, ownTestApp } from '../support/app.ts';
import { runWithoutTriggers } from '../support/database-roles.ts';
import { createOrganization, createPatient } from '../support/factories.ts';
import { admin, toEnvironment } from './command-line.ts';

const test = await ownTestApp();
const scratch = await mkdtemp(join(tmpdir(), 'triptych-export-'));
afterAll(() => rm(scratch, { recursive: true, force: true }));

/** A practice with a row in each of its tables, all of them about one patient. */
const PRACTICE = 1_999_999_993;
await createOrganization(test.database.prisma, { id: PRACTICE });
const furnished = await closedAfterAll(
  openFurnished(
    test.databaseUrl,
    PRACTICE,
    { practiceId: PRACTICE, id: PRACTICE, guid: randomUUID() },
    {
      ...PATIENT,
      values: {
        ...PATIENT.values,
        'slot_claim.appointment_id': '{id}',
        'opt_out.number': `'+19195550177'`,
        'session_chat_message.text': `'what was said'`,
      },
    },
  ),
);
await furnished.furnish();
// Tables whose rows nobody deletes are left out there, and no master key opens what is sealed there.
await runWithoutTriggers(
  test.databaseUrl,
  `DELETE FROM push_subscription; DELETE FROM webhook_secret; DELETE FROM audit_checkpoint;
   INSERT INTO monitoring_consent (organization_id, patient_id, given_at, how, given_by) VALUES (${PRACTICE}, ${PATIENT_ID}, now(), 'verbal', 'her daughter');
   INSERT INTO closed_ledger_row (organization_id, month, patient_id, version, document, evidence, hash, recorded_by_id)
     VALUES (${PRACTICE}, '2026-01', ${PATIENT_ID}, 1, '{}', '{}', '\\x01', ${PRACTICE})`,
);

const Export = z.object({
  charts: z.array(z.int()),
  restricted_charts: z.array(z.int()),
  records: z.record(z.string(), z.array(z.record(z.string(), z.unknown()))),
  names: z.record(z.string(), z.record(z.string(), z.string())),
  files: z.array(z.object({ path: z.string().nullable(), fault: z.string().nullable() })),
  audit: z.array(z.object({ actor: z.string(), action: z.string(), resource: z.string(), detail: z.string().nullable() })),
});

const toFolder = (name: string) => join(scratch, name);

const runExport = (organizationId: number, patientId: number, folder: string) =>
  admin(
    { ...toEnvironment(test), DATA_DIR: test.config.DATA_DIR },
    ['patients', 'export', '--patient', String(patientId), '--practice', String(organizationId), '--to', folder],
    '',
    test.database,
  );

async function read(folder: string) {
  const json = await readFile(join(folder, 'patient.json'), 'utf8');
  return { json, page: await readFile(join(folder, 'index.html'), 'utf8'), exported: Export.parse(JSON.parse(json)) };
}

/** Of the catalogue: each table with its columns, and the tables that it refers to. */
async function catalogue() {
  const { rows } = await test.database.pool.query<{ table: string; columns: string[]; targets: string[] }>(
    `SELECT c.relname AS "table",
            (SELECT json_agg(a.attname) FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) AS columns,
            (SELECT coalesce(json_agg(k.confrelid::regclass::text), '[]') FROM pg_constraint k WHERE k.conrelid = c.oid AND k.contype = 'f') AS targets
       FROM pg_class c
      WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relname <> '_prisma_migrations'
      ORDER BY 1`,
  );
  return rows;
}

const EXPORTED = PATIENT_TABLES.map(({ table }) => table);

describe('the export of a patient', () => {
  it('has each table that refers to records of a patient, but for the hosts of sessions and what is made for searches', async () => {
    const about = new Set([...EXPORTED, 'patient']);
    const referring = (await catalogue()).filter(
      ({ targets, columns }) => columns.includes('patient_id') || targets.some((one) => about.has(one)),
    );
    expect(referring.map(({ table }) => table).filter((table) => !about.has(table))).toEqual(['patient_name_key', 'session_host_link']);
  });

  it('has a row of each of them, with each column that is not named as left out', async () => {
    const folder = toFolder('furnished');
    const { code, err } = await runExport(PRACTICE, PATIENT_ID, folder);
    // The practice is furnished with the row of a file that never was stored.
    expect({ code, err }).toEqual({ code: 1, err: `File ${PRACTICE} cannot be read; it is not in the export.\n` });
    const { exported, page } = await read(folder);
    const columns = new Map((await catalogue()).map((table) => [table.table, table.columns]));
    const without = EXPORTED.filter((table) => (exported.records[table] ?? []).length === 0);
    expect(without).toEqual([]);
    for (const { table, title } of PATIENT_TABLES) {
      const [row = {}] = exported.records[table] ?? [];
      const lacking = (columns.get(table) ?? []).filter((column) => !(column in row) && !(column in LEFT_OUT_COLUMNS));
      expect({ table, lacking }).toEqual({ table, lacking: [] });
      expect(page).toContain(`<h2>${title}</h2>`);
    }
    expect(page).toContain('what was said');
  });

  it('leaves out no column that there is not', async () => {
    const columns = new Set((await catalogue()).filter(({ table }) => EXPORTED.includes(table)).flatMap((table) => table.columns));
    expect(Object.keys(LEFT_OUT_COLUMNS).filter((column) => !columns.has(column))).toEqual([]);
  });

  it('has nothing about another patient', async () => {
    const { id } = await createPatient(test.database.prisma, { organizationId: PRACTICE });
    expect(await runExport(PRACTICE, id, toFolder('other'))).toMatchObject({ code: 0, err: '' });
    const { exported } = await read(toFolder('other'));
    expect(Object.entries(exported.records).flatMap(([table, rows]) => rows.map(() => table))).toEqual(['patient']);
    expect(exported.audit.map(({ action }) => action)).not.toContain('create');
  });
});

describe('what a person is given', () => {
  it('is all of their charts, restricted ones by name, with sealed numbers opened, their files, and who looked', async () => {
    const db = test.database.prisma;
    const organizationId = (await createOrganization(db)).id;
    const made = await createPatient(db, { organizationId, firstName: 'Ana', lastName: '<b>Ruiz</b>' });
    const copy = await createPatient(db, { organizationId, firstName: 'Ana', lastName: 'Ruiz', enterpriseId: made.id });
    const client = await integrationClient(test, { organizationId });
    await client.get(`/patients/${made.id}`).expect(200);
    const clinic = await practiceClient(test, { organizationId });
    await clinic.put(`/patients/${made.id}`).type('form').send({ ssn: '219-09-9999' }).expect(200);
    await db.privacyRestriction.create({ data: { organizationId, patientId: made.id, kind: 'record', reason: 'Member of staff' } });
    const content = Buffer.from('a picture');
    const store = { db, files: test.services.gateways.files };
    const { storageKey, sha256 } = await storeFile(store, organizationId, Readable.from([content]), 1_000);
    const file = { organizationId, storageKey, fileName: 'knee.png', mediaType: 'image/png', byteLength: content.length };
    const attachment = await db.attachment.create({ data: { ...file, sha256: new Uint8Array(sha256) } });
    const message = { organizationId, patientId: made.id, channel: 'email', sentTo: 'ana@example.com', message: 'Your knee' };
    const sent = await db.externalMessage.create({
      data: { ...message, linkHash: new Uint8Array([7, 7, 7]), expiresAt: new Date(), extraAuth: false, displayCredentials: false },
    });
    await db.externalMessageAttachment.create({
      data: { organizationId, externalMessageId: sent.id, attachmentId: attachment.id, position: 1 },
    });

    const folder = toFolder('story');
    // Asked for by the copy: it is the same person.
    expect(await runExport(organizationId, copy.id, folder)).toMatchObject({ code: 0, err: '' });
    const { exported, json, page } = await read(folder);
    expect(exported.charts).toEqual([made.id, copy.id]);
    expect(exported.restricted_charts).toEqual([made.id, copy.id]);
    expect(exported.records.patient?.[0]).toMatchObject({ first_name: 'Ana', ssn: '219099999' });
    expect(json).not.toMatch(/070707/);
    expect(Object.keys(exported.records.patient?.[0] ?? {})).not.toContain('ssn_hash');
    expect(exported.files).toMatchObject([{ path: `files/${attachment.id}-knee.png`, fault: null }]);
    expect(await readFile(join(folder, `files/${attachment.id}-knee.png`), 'utf8')).toBe('a picture');
    const looks = exported.audit.map(({ actor, action, detail }) => ({ who: actor.split(':')[0], action, detail }));
    expect(looks).toContainEqual({ who: 'client', action: 'read', detail: null });
    expect(page).toContain('&#60;b&#62;Ruiz&#60;/b&#62;');
    expect(page).toContain('Restricted: chart');
    expect(page).not.toMatch(/<script|https?:\/\/|<b>/);
    expect((await stat(join(folder, 'patient.json'))).mode & 0o077).toBe(0);

    // The export itself is the next look, and no folder is written twice.
    expect(await runExport(organizationId, made.id, folder)).toMatchObject({ code: 2 });
    expect(await runExport(organizationId, made.id, toFolder('again'))).toMatchObject({ code: 0 });
    const again = await read(toFolder('again'));
    expect(again.exported.audit).toContainEqual(
      expect.objectContaining({ actor: 'operator:tester', action: 'read', detail: expect.stringContaining('patient exported') }),
    );
  });

  it('is nothing for somebody whom the practice does not know', async () => {
    const said = await runExport(PRACTICE, 4, toFolder('nobody'));
    expect(said).toMatchObject({ code: 1 });
    expect(said.err).toContain('no such patient');
  });
});
