import { beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../../../src/database/database.ts';
import { jobCaller } from '../../../../../src/domain/caller.ts';
import { emptyJournal } from '../../../../../src/domain/journal.ts';
import { trackCondition } from '../../../../../src/domain/monitoring/patients/conditions.ts';
import { listMonitoredPatients } from '../../../../../src/domain/monitoring/patients/patients.ts';
import { addToProgram } from '../../../../../src/domain/monitoring/programs/enrolments.ts';
import { txOf } from '../../../../../src/domain/tx.ts';
import { signedInUser } from '../../../../support/actors.ts';
import { sharedTestApp } from '../../../../support/app.ts';
import { createOrganization, createPatient } from '../../../../support/factories.ts';
import { type Person, uuids } from '../../people/people.ts';
import { createCheckIn, createItem, createProgram } from '../care.ts';

const RPM = '/remote-patient-monitoring';

const test = await sharedTestApp();

const rows = () => test.database.prisma;

describe('the list of monitored patients', () => {
  let clinic: Person;
  const ids: Record<string, number> = {};
  beforeAll(async () => {
    clinic = await signedInUser(test);
    const people = [
      { firstName: 'Mary Ann', lastName: "O'Brien-Schäfer", medicalRecordNo: 'MR 7', birthDate: new Date('1950-01-01') },
      { firstName: 'Ann', lastName: 'Brown', medicalRecordNo: '100', birthDate: new Date('1940-01-01') },
      { firstName: 'José', lastName: 'Annan', medicalRecordNo: '1001' },
      { firstName: null, lastName: 'Percent%_', birthDate: new Date('1960-01-01') },
    ];
    for (const person of people)
      ids[person.lastName] = (await createPatient(rows(), { organizationId: clinic.organizationId, flags: ['RPM'], ...person })).id;
  });
  const names = async (query: string) => {
    const found = uuids(await clinic.get(`${RPM}/patients?limit=1000&${query}`));
    return found.map((id) => Object.entries(ids).find(([, known]) => known === id)?.[0]);
  };
  const [obrien, brown, annan, percent] = ["O'Brien-Schäfer", 'Brown', 'Annan', 'Percent%_'];

  it.each<[string, (string | undefined)[]]>([
    ['ann', [annan, brown, obrien]],
    ['ANN BRO', [brown]],
    ['brown ann', [brown]],
    ['schafer', [obrien]],
    ["o'b", [obrien]],
    ['brien mary', [obrien]],
    ['brien-sch', [obrien]],
    ['jose', [annan]],
    ['nnan', []],
    ['ann zz', []],
    ['100', [brown]],
    ['mr 7', []],
    ['MR 7', [obrien]],
    ['  ann   bro ', [brown]],
    ['%', []],
    ['percent%', [percent]],
    ['_', []],
    ['', [annan, brown, obrien, percent]],
  ])('by the keyword %j finds whose names have words that begin so, or whose record number it is', async (keyword, found) => {
    expect(await names(`keyword=${encodeURIComponent(keyword)}`)).toEqual(found);
  });

  it('is sorted by what is asked, who lacks it last, and tells what can be asked', async () => {
    expect(await names('')).toEqual([annan, brown, obrien, percent]);
    expect(await names('order=DESC')).toEqual([percent, obrien, brown, annan]);
    expect(await names('sort=firstname')).toEqual([brown, annan, obrien, percent]);
    expect(await names('sort=id')).toEqual([obrien, brown, annan, percent]);
    expect(await names('sort=dob')).toEqual([brown, obrien, percent, annan]);
    expect(await names('sort=dob&order=DESC')).toEqual([percent, obrien, brown, annan]);
    expect(await names('sort=med_rec_no')).toEqual([brown, annan, obrien, percent]);
    expect(await names('sort=created_at&order=DESC')).toEqual([percent, annan, brown, obrien]);
    const wrong = await clinic.get(`${RPM}/patients?sort=color`);
    expect([wrong.status, wrong.body.detail]).toEqual([400, expect.stringContaining('lastname or firstname or title or uuid')]);
    const bad = ['keyword=%00', 'org_uuid=x', 'page=0', `keyword=${'x'.repeat(201)}`];
    for (const query of bad) expect((await clinic.get(`${RPM}/patients?${query}`)).status, query).toBe(400);
  });

  it('is sorted by the last check-in, and by how many wait for a review', async () => {
    const item = await createItem(rows(), { organizationId: clinic.organizationId });
    const report = (name: string, sentAgo: number) =>
      createCheckIn(rows(), {
        organizationId: clinic.organizationId,
        patientId: ids[name] ?? 0,
        sentAgo,
        readings: [{ itemId: item.id, value: 120 }],
      });
    for (const sentAgo of [9, 8, 7]) await report(brown, sentAgo);
    await report(obrien, 3);
    await report(annan, 5);
    await report(annan, 6);
    expect(await names('sort=last_checkin&order=DESC')).toEqual([obrien, annan, brown, percent]);
    expect(await names('sort=last_checkin')).toEqual([brown, annan, obrien, percent]);
    expect(await names('sort=open_reviews&order=DESC')).toEqual([brown, annan, obrien, percent]);
    expect(await names('sort=open_reviews&keyword=ann')).toEqual([obrien, annan, brown]);
  });

  it('is walked over its pages', async () => {
    const first = await clinic.get(`${RPM}/patients?limit=3&keyword=`);
    expect(first.body.meta).toMatchObject({ total: 4, last_page: 2 });
    const next = await clinic.get(String(first.body.links.next).replace(test.address, ''));
    expect([...uuids(first), ...uuids(next)]).toEqual([annan, brown, obrien, percent].map((name) => ids[name]));
  });

  it('asks as often for many as for one', async () => {
    const { id: organizationId } = await createOrganization(rows());
    const item = await createItem(rows(), { organizationId });
    const program = await createProgram(rows(), { organizationId });
    const caller = { ...jobCaller(organizationId, 'test'), journal: emptyJournal() };
    for (let made = 0; made < 4; made += 1) {
      const { id: patientId } = await createPatient(rows(), { organizationId });
      await addToProgram(txOf(rows(), caller), { programId: program.id, patientId });
      await trackCondition(txOf(rows(), caller), { patientId, icdCode: 'I10', items: [{ itemId: item.id }] });
      for (const sentAgo of [3, 5])
        await createCheckIn(rows(), { organizationId, patientId, sentAgo, readings: [{ itemId: item.id, value: 1 }] });
    }
    const own = openDatabase({ url: test.databaseUrl, poolSize: 1 });
    let asked = 0;
    own.pool.on('acquire', () => {
      asked += 1;
    });
    const countStatements = async (limit: number) => {
      asked = 0;
      const sort = { order: 'lastName', descending: false } as const;
      const { items } = await listMonitoredPatients(txOf(own.prisma, caller), { sort }, { page: 1, limit });
      expect(items.map(({ programs, conditions, open }) => [programs.length, conditions.length, open])).toEqual(
        Array.from({ length: limit }, () => [1, 1, 2]),
      );
      return asked;
    };
    const counts = [await countStatements(1), await countStatements(3)];
    await own.close();
    expect(counts[1]).toBe(counts[0]);
  });
});
