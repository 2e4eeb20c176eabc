import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { operator } from '../../../../../src/domain/caller.ts';
import { Failure } from '../../../../../src/domain/errors.ts';
import { ensureContact, findOrCreateContactByNumber, parseContactSearch } from '../../../../../src/domain/messaging/contacts/contacts.ts';
import { createUnitOfWork, type UnitOfWork } from '../../../../../src/domain/unit-of-work/unit-of-work.ts';
import { signedInUser } from '../../../../support/actors.ts';
import { sharedTestApp } from '../../../../support/app.ts';
import { codePoint } from '../../../../support/code-point.ts';
import { createOrganization, createPatient } from '../../../../support/factories.ts';

const test = await sharedTestApp();
const unitOfWork: UnitOfWork = createUnitOfWork(test.database);

const rows = () => test.database.prisma;
const newOrganization = async () => (await createOrganization(rows())).id;
const job = (organizationId: number) => operator(organizationId, 'inbound');
const whoIs = (organizationId: number, number: string) =>
  unitOfWork.write(job(organizationId), (tx) => findOrCreateContactByNumber(tx, number));
const NUMBER = '+19105550123';

describe('the contact of a number', () => {
  it('is the patient’s whose mobile or home number it is', async () => {
    const organizationId = await newOrganization();
    const mobile = await createPatient(rows(), { organizationId, mobilePhone: NUMBER });
    const home = await createPatient(rows(), { organizationId, homePhone: '+19105550124', mobilePhone: '+19105550125' });
    expect(await whoIs(organizationId, NUMBER)).toMatchObject({ id: mobile.id, patientId: mobile.id });
    expect(await whoIs(organizationId, '+19105550124')).toMatchObject({ id: home.id, patientId: home.id });
    expect(await rows().contact.count({ where: { organizationId } })).toBe(0);
  });

  it('of several patients is of whose mobile number it is, then of an enterprise chart, of an active one, of the lower id', async () => {
    const organizationId = await newOrganization();
    const add = async (data: object) => (await createPatient(rows(), { organizationId, ...data })).id;
    const order: number[] = [];
    order.unshift(await add({ homePhone: NUMBER }));
    expect(await whoIs(organizationId, NUMBER)).toMatchObject({ id: order[0] });
    const enterprise = await add({});
    order.unshift(await add({ mobilePhone: NUMBER, enterpriseId: enterprise }));
    expect(await whoIs(organizationId, NUMBER)).toMatchObject({ id: order[0] });
    order.unshift(await add({ mobilePhone: NUMBER, status: 'inactive' }));
    expect(await whoIs(organizationId, NUMBER)).toMatchObject({ id: order[0] });
    order.unshift(await add({ mobilePhone: NUMBER }));
    expect(await whoIs(organizationId, NUMBER)).toMatchObject({ id: order[0] });
    await add({ mobilePhone: NUMBER });
    expect(await whoIs(organizationId, NUMBER)).toMatchObject({ id: order[0] });
  });

  it('that is no patient’s is made once, and shown in the list of contacts', async () => {
    const clinic = await signedInUser(test);
    const { organizationId } = clinic;
    const first = await whoIs(organizationId, NUMBER);
    expect(first).toMatchObject({ id: expect.any(Number), patientId: null });
    expect(await whoIs(organizationId, NUMBER)).toEqual(first);
    const { data } = (await clinic.get('/contacts')).body;
    expect(data).toEqual([expect.objectContaining({ uuid: first?.id, patient_uuid: null, phone_no: '9105550123' })]);
    const events = await rows().event.findMany({ where: { organizationId, subjectType: 'contact' }, orderBy: { id: 'asc' } });
    expect(events.map(({ name, subjectId, changed }) => [name, subjectId, changed])).toEqual([['contact.added', first?.id, ['phone']]]);
    const audits = await rows().auditEntry.findMany({
      where: { organizationId, resource: 'contact', action: 'create' },
      orderBy: { id: 'asc' },
    });
    expect(audits.map(({ resourceIds }) => resourceIds)).toEqual([[first?.id]]);
  });

  it('is one, and added once, for ten texts at once', async () => {
    const organizationId = await newOrganization();
    const found = await Promise.all(Array.from({ length: 10 }, () => whoIs(organizationId, NUMBER)));
    expect(new Set(found.map((one) => one?.id)).size).toBe(1);
    expect(await rows().contact.count({ where: { organizationId } })).toBe(1);
    expect(await rows().event.count({ where: { organizationId, name: 'contact.added' } })).toBe(1);
  });

  it('waits for another transaction that is adding it, and goes by its end', async () => {
    const organizationId = await newOrganization();
    for (const kept of [false, true]) {
      let standing: Promise<unknown> = Promise.resolve();
      await rows()
        .$transaction(async (tx) => {
          await tx.contact.create({ data: { organizationId, phone: NUMBER } });
          standing = whoIs(organizationId, NUMBER);
          if (!kept) throw new Error('taken back');
        })
        .catch(() => {});
      expect(await standing).toMatchObject({ id: expect.any(Number), patientId: null });
      expect(await rows().contact.count({ where: { organizationId, phone: NUMBER } })).toBe(1);
      if (!kept) await rows().contact.deleteMany({ where: { organizationId } });
    }
  });

  it('is another in each organization, and never of another organization’s patient', async () => {
    const [one, two] = [await newOrganization(), await newOrganization()];
    await createPatient(rows(), { organizationId: two, mobilePhone: NUMBER });
    const [mine, theirs] = [await whoIs(one, NUMBER), await whoIs(two, NUMBER)];
    expect([mine?.patientId === null, theirs?.patientId === null]).toEqual([true, false]);
  });

  it('is not a deleted patient’s', async () => {
    const organizationId = await newOrganization();
    const { id } = await createPatient(rows(), { organizationId, mobilePhone: NUMBER, status: 'deleted' });
    const found = await whoIs(organizationId, NUMBER);
    expect([found?.patientId, found?.id === id]).toEqual([null, false]);
  });

  it('is a blocked patient’s where no listed one has it, so that no list shows the number as a stranger’s', async () => {
    const clinic = await signedInUser(test);
    const { organizationId } = clinic;
    const { id } = await createPatient(rows(), { organizationId, mobilePhone: NUMBER });
    await rows().privacyRestriction.create({ data: { organizationId, patientId: id, kind: 'blocked' } });
    expect(await whoIs(organizationId, NUMBER)).toMatchObject({ id, patientId: id });
    expect((await clinic.get('/contacts')).body.meta.total).toBe(0);
    await createPatient(rows(), { organizationId, mobilePhone: NUMBER });
    expect(await whoIs(organizationId, NUMBER)).toMatchObject({ id, patientId: id, restricted: true });
  });

  it('is the patient’s once a patient has it; what stood under the number stays', async () => {
    const clinic = await signedInUser(test);
    const { organizationId } = clinic;
    const before = await whoIs(organizationId, NUMBER);
    const { id } = await createPatient(rows(), { organizationId, mobilePhone: NUMBER });
    expect(await whoIs(organizationId, NUMBER)).toMatchObject({ id, patientId: id });
    expect((await clinic.get(`/contacts/${before?.id}`)).status).toBe(200);
  });

  it.each(['', 'Anonymous', '+', '9105550123', '88022', '+0105550123', '+1910555012345678'])('is nobody for %j', async (number) => {
    const organizationId = await newOrganization();
    expect(await whoIs(organizationId, number)).toBeNull();
    expect(await rows().contact.count({ where: { organizationId } })).toBe(0);
  });

  it('never has the id of a patient, and no patient the id of one', async () => {
    const organizationId = await newOrganization();
    const ids: (number | undefined)[] = [];
    for (let at = 0; at < 5; at += 1) {
      ids.push((await whoIs(organizationId, `+1910555020${at}`))?.id);
      ids.push((await createPatient(rows(), { organizationId })).id);
    }
    expect(new Set(ids).size).toBe(10);
    expect(ids).toEqual(ids.toSorted((a, b) => Number(a) - Number(b)));
  });
});

describe('a contact that something refers to', () => {
  const hold = (organizationId: number, id: number) => unitOfWork.write(job(organizationId), (tx) => ensureContact(tx, id, 'Contact'));

  it('has a row from then on, one however many ask at once', async () => {
    const organizationId = await newOrganization();
    const { id } = await createPatient(rows(), { organizationId });
    const held = await Promise.all(Array.from({ length: 5 }, () => hold(organizationId, id)));
    expect(new Set(held.map((one) => JSON.stringify(one)))).toEqual(new Set([JSON.stringify({ id, patientId: id })]));
    expect(await rows().contact.findMany({ where: { organizationId } })).toEqual([
      expect.objectContaining({ id, patientId: id, phone: null }),
    ]);
  });

  it('must be one of the organization', async () => {
    const [organizationId, other] = [await newOrganization(), await newOrganization()];
    const { id } = await createPatient(rows(), { organizationId: other });
    const number = await whoIs(other, NUMBER);
    for (const theirs of [id, number?.id ?? 0, 1_888_888])
      await expect(hold(organizationId, theirs)).rejects.toMatchObject({ code: 'contact_not_found', issues: [{ field: 'Contact' }] });
  });
});

describe('what contacts are searched for', () => {
  it('is read from whatever is typed, or refused as too short a number', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: codePoint }), fc.stringMatching(/^[\d +().,-]{0,20}$/)), (typed) => {
        try {
          const { search, texts } = parseContactSearch(typed);
          expect(texts.length).toBe({ none: 0, name: 1, names: 3, number: 2 }[search ?? 'none']);
          for (const text of texts) expect(text.trim()).not.toBe('');
          if (search === 'number') for (const text of texts) expect(text).toMatch(/^\+\d{6,}$/);
        } catch (error) {
          expect(error).toBeInstanceOf(Failure);
          expect(typed.replaceAll(/\D/g, '').length).toBeLessThan(6);
        }
      }),
    );
  });
});
