import { request as httpRequest } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { integrationClient, practiceClient, signedInUser } from '../../../support/actors.ts';
import { sharedTestApp } from '../../../support/app.ts';
import { createLocation, createOffice, createOrganization, createPatient, createProvider } from '../../../support/factories.ts';
import { isUpkeep } from '../../../support/upkeep.ts';
import { importer } from './sending.ts';

const test = await sharedTestApp();
const { prisma } = test.database;

async function practice(organization = {}) {
  const { id } = await createOrganization(prisma, organization);
  return {
    id,
    system: await importer(test, id),
    charts: () => prisma.patient.findMany({ where: { organizationId: id }, orderBy: { id: 'asc' } }),
  };
}

describe('an import of patients', () => {
  it('reads the words of each dialect, stores what is right, and reports what is odd', async () => {
    const { id, system } = await practice();
    const office = await createOffice(prisma, { organizationId: id, name: 'Main Street' });
    const provider = await createProvider(prisma, { organizationId: id, firstName: 'Ada', lastName: 'Quinn' });
    await createLocation(prisma, { organizationId: id, name: 'Room 7' });
    const file = [
      'External ID;First Name;lname;dob;phone_no;State;zip;departmentid;provider;location;nickname',
      `a-1; Zoë ;O’Hara;1980-02-29;(910) 555-0199;North Carolina;27601;main street;${provider.id};room 7;Z`,
      'a-2;Bo;Odd;02/30/1980;911;Nowhere;1;Elsewhere;;;',
      'a-3;"Line\nbreak";Smith;03/04/1990;;;;;;;',
    ].join('\r\n');
    const done = await system.import('kind=patients', file);
    expect(done).toMatchObject({
      state: 'done',
      format: 'csv',
      counts: { rows: 3, created: 2, updated: 0, skipped: 0, matched: 0, refused: 1 },
      ignored_columns: ['nickname'],
    });
    const staff = await signedInUser(test, { organizationId: id });
    const { body } = await staff.get('/patients?external_id=a-1');
    expect(body.data).toMatchObject([
      {
        external_id: 'a-1',
        firstname: 'Zoë',
        lastname: 'O’Hara',
        dob: '1980-02-29',
        phone_no: '9105550199',
        address: { state: 'NC', zip: '27601' },
        office: office.id,
        provider: provider.id,
        location_name: 'Room 7',
        offices: [{ uuid: office.id, name: 'Main Street' }],
      },
    ]);
    expect((await staff.get('/patients?search=ohara')).body.data).toMatchObject([{ external_id: 'a-1' }]);
    expect((await staff.get('/patients?external_id=a-3')).body.data).toMatchObject([{ firstname: 'Line break' }]);
    const [, refused = ''] = (await system.report(done.id)).split('\r\n');
    expect(refused).toMatch(/^a-2;|^a-2,Bo,Odd,02\/30\/1980,911,Nowhere,1,Elsewhere,/);
    for (const said of ['dob: is a day', 'phone_no: must be', 'State: must be', 'zip: must be']) expect(refused).toContain(said);
  });

  it('takes a report that was mended, and then has each chart once', async () => {
    const { system, charts } = await practice();
    const file = 'external_id,firstname,dob,zip\n1,Ana,1980-01-01,27601\n2,Bea,1980-01-02,bad\n3,Cia,1980-01-03,worse\n';
    const first = await system.import('kind=patients', file);
    const mended = (await system.report(first.id)).replace('bad', '27602').replace('worse', '27603');
    const second = await system.import('kind=patients', mended);
    expect(second).toMatchObject({ counts: { created: 2, refused: 0 }, ignored_columns: [] });
    const third = await system.import('kind=patients', file.replace('bad', '27602'));
    expect(third.counts).toMatchObject({ created: 0, skipped: 2, refused: 1 });
    expect((await charts()).map(({ externalId, zip }) => [externalId, zip])).toEqual([
      ['1', '27601'],
      ['2', '27602'],
      ['3', '27603'],
    ]);
  });

  it('decides about the same person as it is told, by file and by row', async () => {
    const { id, system, charts } = await practice();
    const person = { firstName: 'Mia', lastName: 'Same', birthDate: new Date('1970-05-06'), zip: '27601', city: 'Raleigh' };
    const { id: known } = await createPatient(prisma, { organizationId: id, ...person });
    const row = 'MIA,same,05/06/1970,27601-1234,Cary';
    const head = 'firstname,lastname,dob,zip,city,external_id,on_match';
    const skipped = await system.import('kind=patients', `${head}\n${row},x,\n`);
    expect(skipped.counts).toMatchObject({ created: 0, skipped: 1, matched: 1 });
    const report = await system.report(skipped.id);
    expect(report).toContain(`the same person as patient ${known}`);
    expect(await charts()).toMatchObject([{ city: 'Raleigh', externalId: null }]);
    const updated = await system.import('kind=patients&on_match=update', `${head}\n${row},x,\n`);
    expect(updated.counts).toMatchObject({ created: 0, updated: 1, matched: 1 });
    expect(await charts()).toMatchObject([{ id: known, city: 'Cary', externalId: 'x', zip: '27601-1234' }]);
    const created = await system.import('kind=patients', `${head}\n${row},y,create\n${row},y,create\n`);
    expect(created.counts).toMatchObject({ created: 1, skipped: 1, matched: 1 });
    expect(await charts()).toMatchObject([{ externalId: 'x' }, { externalId: 'y' }]);
    const events = await prisma.event.findMany({ where: { organizationId: id, subjectType: 'patient' }, orderBy: { id: 'asc' } });
    expect(events.map(({ name }) => name)).toEqual(['patient.updated', 'patient.imported']);
  });

  it('finds a person whom the same file has twice', async () => {
    const { system, charts } = await practice();
    const rows = [
      '{"fname":"Lu","lname":"Twice","dob":"1999-01-01","zip":"10001"}',
      '{"firstName":"LÚ","lastName":"Twice","dob":"1999-01-01","zip":"10001"}',
    ];
    const done = await system.import('kind=patients', rows.join('\n'));
    expect(done).toMatchObject({ format: 'ndjson', counts: { created: 1, skipped: 1, matched: 1 } });
    expect(await charts()).toHaveLength(1);
  });

  it('keeps the rules of the practice', async () => {
    const strict = await practice({ registrationPolicy: 'strict' });
    const refused = await strict.system.import('kind=patients', 'firstname,lastname\nAda,Short\n');
    expect(refused.counts).toMatchObject({ refused: 1 });
    expect(await strict.system.report(refused.id)).toContain('is missing');
    const { body } = await strict.system.send('GET', '/imports?limit=1');
    expect(body).toMatchObject({ data: [{ id: refused.id, kind: 'patients' }], meta: { total: 1 } });
  });

  it('hides a restricted chart from a client who may not see it', async () => {
    const { id, system } = await practice();
    const { id: patientId } = await createPatient(prisma, { organizationId: id, medicalRecordNo: 'M1', firstName: 'Se', lastName: 'Cret' });
    await prisma.privacyRestriction.create({ data: { organizationId: id, patientId, kind: 'blocked' } });
    const done = await system.import('kind=patients&on_match=update', 'mrn,firstname\nM1,Changed\n');
    expect(done.counts).toMatchObject({ updated: 0, refused: 1 });
    expect(await system.report(done.id)).toContain('A chart that is deleted or restricted already has this medical record number.');
  });

  it('writes nothing in a dry run, and says what a run would do', async () => {
    const { id, system, charts } = await practice();
    const done = await system.import('kind=patients&dry_run=true', 'firstname,dob,zip\nAna,1980-01-01,27601\nBea,1980-01-02,bad\n');
    expect(done).toMatchObject({ dry_run: true, counts: { created: 1, refused: 1 } });
    expect(await charts()).toEqual([]);
    const events = await prisma.event.findMany({ where: { organizationId: id } });
    expect(events.map(({ name }) => name).sort()).toEqual(['import.created', 'import.ended']);
  });

  it('takes names of ours for theirs, and refuses names that are no field', async () => {
    const { system, charts } = await practice();
    const mapping = (ours: object) => `kind=patients&mapping=${encodeURIComponent(JSON.stringify(ours))}`;
    await system.import(
      mapping({ Vorname: 'firstname', 'Geb.-Datum': 'dob', city: '' }),
      'Vorname,Geb.-Datum,city\nJörg,1950-01-02,Bonn\n',
    );
    expect(await charts()).toMatchObject([{ firstName: 'Jörg', birthDate: new Date('1950-01-02'), city: null }]);
    const { status, text } = await system.send('POST', `/imports?${mapping({ a: 'nonsense' })}`, 'a\nb\n');
    expect([status, text]).toEqual([400, expect.stringContaining('nonsense')]);
  });

  it('is as searchable, booked and fed as a registered chart', async () => {
    const { id, system, charts } = await practice();
    const integration = await integrationClient(test, { organizationId: id });
    const feed = await practiceClient(test, { organizationId: id });
    await feed.post('/patients/changed/subscription').type('form').send({ eventname: 'AddPatient' });
    await system.import('kind=patients', 'med_rec_no,firstname,lastname,dob\nR-1,Fe,Ed,1980-01-01\n');
    const [chart] = await charts();
    expect((await integration.get('/patients/mrn/R-1')).body.data).toMatchObject({ uuid: chart?.id });
    // A feed shows what no open transaction of others can come before.
    const changed: unknown[] = [];
    await expect
      .poll(async () => changed.push(...(await feed.get('/patients/changed')).body.patients), { timeout: 5_000 })
      .toBeGreaterThan(0);
    expect(changed).toMatchObject([{ patientid: String(chart?.id) }]);
    const audit = await prisma.auditEntry.findMany({ where: { organizationId: id, resource: 'patient', action: 'create' } });
    expect(audit).toMatchObject([{ resourceIds: [chart?.id], actor: expect.stringMatching(/^client:/) }]);
  });
});

describe('an upload', () => {
  it('goes on where it broke off', async () => {
    const { system, charts } = await practice();
    const note = 'n'.repeat(10_000);
    const file = Buffer.from(`firstname,dob,note\n${Array.from({ length: 700 }, (_, n) => `Pat ${n},1980-01-01,${note}\n`).join('')}`);
    const announced = await system.send('POST', '/imports?kind=patients', undefined, { 'upload-length': String(file.length) });
    expect([announced.status, announced.body.data.state, announced.headers.get('upload-offset')]).toEqual([201, 'receiving', '0']);
    const { id } = announced.body.data;
    const address = announced.headers.get('location') ?? '';
    expect(address).toBe(`${test.address}/platform/v1/imports/${id}`);
    const offsetNow = async () => Number((await system.send('HEAD', `/imports/${id}`)).headers.get('upload-offset'));
    const headers = { authorization: `Bearer ${system.token}`, 'upload-offset': '0', 'content-length': file.length };
    const broken = httpRequest(address, { method: 'PATCH', headers, agent: false }).on('error', () => {});
    broken.write(file.subarray(0, 5_000_000));
    while ((await offsetNow()) === 0);
    broken.destroy();
    expect((await system.send('PATCH', `/imports/${id}`, 'x', { 'upload-offset': '0' })).body.code).toBe('wrong_offset');
    expect((await system.send('PATCH', `/imports/${id}`, 'x')).status).toBe(409);
    const rest = async () => {
      const offset = await offsetNow();
      return system.send('PATCH', `/imports/${id}`, file.subarray(offset), { 'upload-offset': String(offset) });
    };
    let sent = await rest();
    // What arrived before the connection broke may be stored meanwhile.
    while (sent.status === 409) sent = await rest();
    expect([sent.status, sent.body.data.state]).toEqual([200, 'running']);
    expect(await system.ended(id)).toMatchObject({ state: 'done', counts: { created: 700 } });
    expect(await charts()).toHaveLength(700);
    expect(await prisma.importPart.count({ where: { importId: id } })).toBe(0);
  });

  it.runIf(isUpkeep)('is refused above 1 GiB unpacked', async () => {
    const { system } = await practice();
    const part = gzipSync(Buffer.alloc(64 * 1024 * 1024, 'a'));
    const bomb = Buffer.concat(Array.from({ length: 17 }, () => part));
    const packed = await system.send('POST', '/imports?kind=patients', bomb);
    expect([packed.status, packed.body.code]).toEqual([413, 'import_too_large']);
    expect((await system.send('GET', '/imports')).body.data).toMatchObject([
      { state: 'failed', failure: expect.stringContaining('1 GiB') },
    ]);
  });

  it('is refused above 1 GiB, and without a file, a kind or the scope', async () => {
    const { id, system } = await practice();
    expect((await system.send('POST', '/imports?kind=patients', undefined, { 'upload-length': '1073741825' })).status).toBe(413);
    expect((await system.send('POST', '/imports?kind=patients')).status).toBe(400);
    expect((await system.send('POST', '/imports?kind=secrets', 'a')).status).toBe(400);
    const reader = await importer(test, id, ['imports.read']);
    expect((await reader.send('POST', '/imports?kind=patients', 'firstname\nA\n')).status).toBe(403);
    const writer = await importer(test, id, ['imports.write']);
    expect((await writer.send('GET', '/imports')).status).toBe(403);
  });

  it.each([
    ['[{"firstname":"A"}]', 'without enclosing brackets'],
    ['firstname,First Name\nA,B\n', 'the column First Name twice'],
    ['\n \n', 'has no rows'],
    ['Vorname\nJörg\n', 'no field name'],
    ['f\0i\0r\0s\0t\0n\0a\0m\0e\0\n\0A\0\n\0', 'is not UTF-8'],
  ])('fails with a reason where it is no file of rows: %j', async (file, reason) => {
    const { system } = await practice();
    expect(await system.import('kind=patients', file)).toMatchObject({ state: 'failed', failure: expect.stringContaining(reason) });
  });
});
