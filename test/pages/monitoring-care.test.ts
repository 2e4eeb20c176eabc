import { describe, expect, it } from 'vitest';
import { createCheckIn, createItem, createProgram } from '../apis/mobile/monitoring/care.ts';
import { practiceWithNumber } from '../jobs/outgoing.ts';
import { signedInUser } from '../support/actors.ts';
import { sharedTestApp } from '../support/app.ts';
import { createPatient } from '../support/factories.ts';
import { staffPages } from '../support/staff-pages.ts';

const test = await sharedTestApp();
const prisma = test.database.prisma;
const organizationId = await practiceWithNumber(test, { name: 'Harbor Clinic' });
const nurse = await signedInUser(test, { organizationId, type: 'staff', user: { firstName: 'Nora', lastName: 'Nurse' } });
const { http, send, browse } = staffPages(test);
const staff = await browse(nurse);
const pressure = await createItem(prisma, { organizationId, name: 'Systolic blood pressure', dangerMax: 180 });
const weight = await createItem(prisma, { organizationId, name: 'Weight', unit: 'lb', minTarget: null, maxTarget: null });
const heart = await createProgram(prisma, { organizationId, name: 'Heart at home' });
const survey = await prisma.surveyType.create({
  data: { organizationId, name: 'Well-being', questions: [{ key: 'well', text: 'Are you well?', kind: 'yes_no' }] },
});

const readPage = async (path: string) => (await http.get(path).set(staff).expect(200)).text;
const form = (path: string, fields: object) => send(path, fields, staff);
const ask = async (query: string) => {
  const page = await readPage(`/monitoring/patients?${query}`);
  return ['Ada', 'Bo', 'Cy'].filter((name) => page.includes(`>${name} Found<`));
};

describe('the list of monitored patients', () => {
  it('is filtered by program, condition, last reading and name, also by several of them, and leads on with the filter', async () => {
    const monitored = (firstName: string) =>
      createPatient(prisma, { organizationId, firstName, lastName: 'Found', flags: ['RPM'], medicalRecordNo: `F-${firstName}` });
    const [ada, bo, cy] = [await monitored('Ada'), await monitored('Bo'), await monitored('Cy')];
    const lung = await createProgram(prisma, { organizationId, name: 'Lung at home' });
    await prisma.programPatient.createMany({
      data: [
        { organizationId, programId: lung.id, patientId: ada.id },
        { organizationId, programId: lung.id, patientId: bo.id, removedAt: new Date() },
      ],
    });
    await prisma.trackedCondition.createMany({
      data: [
        { organizationId, patientId: bo.id, icdCode: 'J44.9' },
        { organizationId, patientId: cy.id, icdCode: 'J44.9', endedAt: new Date() },
        { organizationId, patientId: cy.id, icdLexCode: 44 },
      ],
    });
    const measure = async (patientId: number, hoursAgo: number, errorAt: Date | null) => {
      const measuredAt = new Date(Date.now() - hoursAgo * 3_600_000);
      const errorReason = errorAt && 'wrong chart';
      const reading = { organizationId, patientId, itemId: weight.id, value: 150, source: 'staff', errorReason };
      await prisma.reading.create({ data: { ...reading, measuredAt, measuredOn: measuredAt, errorAt } });
    };
    await measure(ada.id, 2, null);
    await measure(bo.id, 100, null);
    await measure(cy.id, 2, new Date());

    expect(await ask('')).toEqual(['Ada', 'Bo', 'Cy']);
    expect(await ask(`program=${lung.id}`)).toEqual(['Ada']);
    for (const code of ['J44.9', 'j449', 'J4']) expect(await ask(`condition=${code}`), code).toEqual(['Bo']);
    expect(await ask('condition=44')).toEqual(['Cy']);
    expect(await ask('condition=E11')).toEqual([]);
    expect(await ask('readings=within-1')).toEqual(['Ada']);
    expect(await ask('readings=none-2')).toEqual(['Bo', 'Cy']);
    expect(await ask('readings=none-7')).toEqual(['Cy']);
    expect(await ask('readings=none-2&condition=J44')).toEqual(['Bo']);
    expect(await ask('search=F-Cy')).toEqual(['Cy']);
    expect(await ask('search=fou+b')).toEqual(['Bo']);
    expect(await ask('program=abc&readings=never&condition=%00')).toEqual(['Ada', 'Bo', 'Cy']);
    expect(await readPage('/monitoring/patients?condition=%22%3E')).toContain('No one found');
    expect(await readPage('/monitoring/patients')).toContain('<option value="J44.9">');
  });
});

describe('the page of a patient', () => {
  it('enrols who was found by name, sends a check-in, sets targets, and takes what was wrong back', async () => {
    const patient = await createPatient(prisma, {
      organizationId,
      firstName: 'Ines',
      lastName: 'Newcomer',
      mobilePhone: '+19105550199',
      languageCode: 'spa',
    });
    const path = `/monitoring/patients/${patient.id}`;
    expect(await readPage('/monitoring/enrol?last=newc')).toContain(`href="${path}#programs"`);

    await form(`${path}/programs`, { program: heart.id }).expect(303).expect('location', `${path}#programs`);
    const twice = await form(`${path}/programs`, { program: heart.id }).expect(409);
    expect(twice.text).toContain('The patient is already in this program');
    expect(await readPage(`/monitoring/patients?search=newcomer`)).toContain('Heart at home');

    const consent = async () => /<section[^>]*id="consent"[\s\S]*?<\/section>/.exec(await readPage(path))?.[0] ?? '';
    expect(await consent()).toContain('None is recorded.');
    await form(`${path}/consent`, { how: 'by mouth' }).expect(400);
    await form(`${path}/consent`, { how: 'verbal' }).expect(303).expect('location', `${path}#consent`);
    expect(await consent()).toMatch(/Given .*, verbal, by patient\..*name="revoked" value="yes"/s);
    await form(`${path}/consent`, { how: 'written', revoked: 'yes' }).expect(303);
    expect(await consent()).toMatch(/Revoked .*, written, by patient\..*Record the consent/s);
    await form(`${path}/consent`, { how: 'written', revoked: 'yes' }).expect(409);

    await form(`${path}/check-ins`, { survey: survey.id, channel: 'sms' })
      .expect(303)
      .expect('location', /news=sent-in-another-language#check-ins$/);
    expect(await prisma.checkIn.count({ where: { organizationId, patientId: patient.id, surveyTypeId: survey.id } })).toBe(1);
    expect((await readPage(`${path}?news=sent-in-another-language`)).split('id="check-ins"')[1]).toContain('another language is used');
    const noMail = await form(`${path}/check-ins`, { survey: survey.id, channel: 'email' }).expect(422);
    expect(noMail.text).toContain('The patient has no email address.');

    expect((await form(`${path}/conditions`, { code: 'hypertension' }).expect(400)).text).toContain('Must be an ICD-10-CM code');
    await form(`${path}/conditions`, { code: 'i10' }).expect(303);
    const { id: condition } = await prisma.trackedCondition.findFirstOrThrow({ where: { organizationId, patientId: patient.id } });
    const address = `${path}/conditions/${condition}`;
    await form(address, { add: pressure.id }).expect(303);
    const box = { [`item-${pressure.id}`]: 'yes' };
    const wrong = await form(address, { ...box, [`min-${pressure.id}`]: '150', [`max-${pressure.id}`]: '120' }).expect(400);
    expect(wrong.text).toContain('Must not begin above its end: 150 is more than 120');
    expect(wrong.text).toMatch(new RegExp(`<details open>[\\s\\S]*name="min-${pressure.id}" type="text" value="150"[^>]*aria-invalid`));
    expect((await form(address, { ...box, [`min-${pressure.id}`]: 'low' }).expect(400)).text).toMatch(/value="low"[^>]*aria-invalid/);
    await form(address, { ...box, [`min-${pressure.id}`]: '', [`max-${pressure.id}`]: '129,5', add: weight.id }).expect(303);
    const shown = (await readPage(path)).replaceAll(/<[^>]*>/g, '');
    expect(shown).toContain('Systolic blood pressure: 129.5 mmHg or less');
    expect(shown).toContain('Weight: no target');
    await form(address, { [`item-${weight.id}`]: 'yes' }).expect(303);
    expect((await readPage(path)).replaceAll(/<[^>]*>/g, '')).not.toContain('Systolic blood pressure: 129.5');
    await form(`${address}/end`, {}).expect(303);
    expect(await readPage(path)).toContain('No condition is tracked');

    await form(`${path}/programs/${heart.id}/leave`, {}).expect(303);
    expect(await readPage(path)).toContain('The patient is not in a program.');
    await form(`${path}/programs/${heart.id}/leave`, {}).expect(404);
  });

  it('lets whoever recorded a reading or wrote a review take it back, and nobody else of the staff', async () => {
    const patient = await createPatient(prisma, { organizationId, firstName: 'Rita', lastName: 'Wrong', flags: ['RPM'] });
    const path = `/monitoring/patients/${patient.id}`;
    const sent = {
      patient_uuid: patient.id,
      item_uuid: pressure.id,
      value: 200,
      unit: 'mmHg',
      measured_at: new Date(Date.now() - 60_000).toISOString(),
    };
    await nurse.post('/remote-patient-monitoring/readings').send(sent).expect(201);
    const { id: reading } = await prisma.reading.findFirstOrThrow({ where: { organizationId, patientId: patient.id } });
    const mark = `${path}/readings/${reading}/entered-in-error`;
    const colleague = await browse(await signedInUser(test, { organizationId, type: 'staff' }));
    expect((await http.get(path).set(colleague).expect(200)).text).not.toContain(mark);
    await send(mark, { reason: 'not mine' }, colleague).expect(403);
    expect((await form(mark, { reason: '' }).expect(400)).text).toContain('Must be given.');
    await form(mark, { reason: 'Cuff of the wife' }).expect(303).expect('location', `${path}#readings`);
    const marked = await readPage(path);
    expect(marked).toContain('Entered in error: Cuff of the wife');
    expect(marked).toContain('No open alerts.');
    await form(mark, { reason: 'It was his', undone: 'yes' }).expect(303);
    expect(await readPage(path)).not.toContain('Cuff of the wife');

    const checkIn = await createCheckIn(prisma, { organizationId, patientId: patient.id, sentAgo: 2 });
    await form(`${path}/reviews`, { checkin: checkIn.id, minutes: '7' }).expect(303);
    const { id: review } = await prisma.checkInReview.findFirstOrThrow({ where: { organizationId, patientId: patient.id } });
    await send(`${path}/reviews/${review}/delete`, {}, colleague).expect(403);
    await form(`${path}/reviews/${review}/delete`, {}).expect(303);
    expect(await readPage(path)).not.toContain('7 minutes');
  });
});
