import { beforeEach, describe, expect, it } from 'vitest';
import { addTime } from '../../../../src/database/statements/later.sql.ts';
import { jobCaller } from '../../../../src/domain/caller.ts';
import { findPatientGuidance } from '../../../../src/domain/monitoring/alerts/patient-guidance.ts';
import { Prisma } from '../../../../src/generated/prisma/client.ts';
import { raiseMissedAlerts } from '../../../../src/jobs/due-work.ts';
import { sharedTestApp } from '../../../support/app.ts';
import { createPatient } from '../../../support/factories.ts';
import { quietNow } from '../../../support/quiet-hours.ts';
import { type AlertingPractice, alertingPractice } from './alerting.ts';

const test = await sharedTestApp();
const rows = () => test.database.prisma;
let practice: AlertingPractice;
beforeEach(async () => {
  practice = await alertingPractice(test);
});

const ALERTS = '/remote-patient-monitoring/alerts';
const answer = (path: string, systolic: string) =>
  test.http
    .post(path)
    .type('form')
    .send({ answer_systolic: systolic, answer_symptom: 'None', answer_feeling: '4', answer_slept: 'yes', answer_note: '' })
    .expect(303);
const listTexts = (organizationId: number) =>
  rows().smsMessage.findMany({ where: { organizationId, direction: 'outbound', checkIns: { none: {} } }, orderBy: { id: 'asc' } });

describe('an alert', () => {
  it('says whose value it is, which target was applied and how grave it is, and is closed by who looked after it', async () => {
    const { patient, nurse, programId, item } = practice;
    await practice.measure([120, 141, 180]);
    const [danger, watch, ...others] = await practice.alerts();
    expect(others).toEqual([]);
    expect(watch).toMatchObject({ kind: 'out_of_target', severity: 'watch', value: 141, patient_text: null, checkin: null });
    expect(danger).toMatchObject({ kind: 'danger_value', severity: 'danger', state: 'open', value: 180, program_uuids: [programId] });
    expect(danger).toMatchObject({
      patient: { uuid: patient.id, firstname: 'Rosa', lastname: 'Diaz' },
      item: { uuid: item.id, unit: 'mmHg' },
      target: { min: 90, max: 140, danger_min: 70, danger_max: 180, source: 'item', tracked_condition_uuids: [] },
      acknowledged_by: null,
      closed_by: null,
    });
    const path = `${ALERTS}/${danger.uuid}`;
    const { headers } = await nurse.get(path).expect(200);
    const taken = await nurse.post(`${path}/acknowledge`).set('if-match', String(headers.etag)).send({ note: 'I call her.' }).expect(200);
    expect(taken.body.data).toMatchObject({ state: 'acknowledged', acknowledged_note: 'I call her.', escalates_at: null });
    expect(taken.body.data.acknowledged_by.uuid).toBe(nurse.user.id);
    await nurse.post(`${path}/acknowledge`).expect(200);
    expect((await nurse.post(`${path}/acknowledge`).send({ note: 'Mine' })).body).toMatchObject({
      status: 409,
      code: 'alert_acknowledged',
    });
    await nurse.post(`${path}/close`).set('if-match', String(headers.etag)).send({ note: 'Too late' }).expect(412);
    expect((await nurse.post(`${ALERTS}/${watch.uuid}/close`).send({ note: ' ' })).body.data.closed_note).toBeNull();
    for (const _ of [1, 2]) await nurse.post(`${path}/close`).send({ note: 'She is well.' }).expect(200);
    expect((await nurse.post(`${path}/close`).send({ note: 'Other' })).body).toMatchObject({ status: 409, code: 'alert_closed' });
    expect((await nurse.post(`${path}/acknowledge`)).body).toMatchObject({ status: 409, code: 'alert_closed' });
    expect((await nurse.get(path)).body.data).toMatchObject({ state: 'closed', closed_note: 'She is well.', escalates_at: null });
  });

  it('is found by state, severity, kind, patient, program and day, the gravest first', async () => {
    const { nurse, organizationId, patient, programId } = practice;
    const other = await createPatient(rows(), { organizationId });
    await practice.measure([185]);
    await practice.measure([150], { patientId: other.id });
    const values = async (query: string) => (await practice.alerts(query)).map(({ value }: { value: number }) => value);
    expect(await values('')).toEqual([185, 150]);
    expect(await values('?sort=raised_at')).toEqual([150, 185]);
    expect(await values('?severity=watch')).toEqual([150]);
    expect(await values('?kind=danger_value&state=open')).toEqual([185]);
    expect(await values('?state=closed')).toEqual([]);
    expect(await values(`?patient=${patient.id}`)).toEqual([185]);
    expect(await values(`?program_uuid=${programId}`)).toEqual([185]);
    const day = new Date().toISOString().slice(0, 10);
    expect(await values(`?end_date=${day}T00:00:00Z`)).toEqual([]);
    expect((await nurse.get(`${ALERTS}?limit=1&page=2`)).body).toMatchObject({ data: [{ value: 150 }], meta: { total: 2 } });
    await nurse.get(`${ALERTS}?severity=grave`).expect(400);
  });

  it('of a restricted chart is shown to nobody, and waits in the inbox without a name', async () => {
    const { organizationId, patient, nurse, admin } = practice;
    await rows().privacyRestriction.create({ data: { organizationId, patientId: patient.id, kind: 'record', reason: 'x' } });
    await practice.measure([200]);
    expect(await practice.alerts()).toEqual([]);
    const { id } = await rows().monitoringAlert.findFirstOrThrow({ where: { organizationId } });
    await nurse.get(`${ALERTS}/${id}`).expect(404);
    await nurse.post(`${ALERTS}/${id}/acknowledge`).expect(404);
    expect((await nurse.get('/inbox')).body.data).toMatchObject([{ kinds: ['alert'], patient: null, patient_restricted: true }]);
    expect([await practice.listKinds(nurse), await practice.listKinds(admin)]).toEqual([[], ['inbox_item.waiting']]);
  });

  it('of a chart that was restricted later notifies people each time, although the conversation waits already', async () => {
    const { organizationId, patient, nurse, admin } = practice;
    await practice.measure([200]);
    await rows().privacyRestriction.create({ data: { organizationId, patientId: patient.id, kind: 'record', reason: 'x' } });
    for (const minutesAgo of [1, 0]) await practice.measure([211], { minutesAgo });
    expect((await nurse.get('/inbox')).body.data).toMatchObject([{ kinds: ['alert'], patient: null, entry_count: 3 }]);
    expect(await practice.listKinds(admin)).toEqual(['inbox_item.waiting', 'inbox_item.waiting']);
  });
});

describe('the care team', () => {
  it('is notified of each danger, and once of values outside of a target while one of them is open', async () => {
    const { nurse, person } = practice;
    await practice.measure([150, 151]);
    await practice.measure([152]);
    await practice.measure([190, 191]);
    expect(await practice.listKinds(nurse)).toEqual(Array(3).fill('monitoring_alert.opened'));
    expect(await practice.listKinds(person)).toEqual([]);
    const watched = await practice.alerts('?severity=watch');
    expect(watched).toHaveLength(3);
    for (const { uuid } of watched) await nurse.post(`${ALERTS}/${uuid}/close`).expect(200);
    await practice.measure([153]);
    expect(await practice.listKinds(nurse)).toHaveLength(4);
  });

  it('is followed by the admins, and of a danger everybody is notified again, until somebody acknowledges it', async () => {
    const { nurse, admin } = practice;
    await practice.measure([150, 190]);
    const countNotifications = async () => [(await practice.listKinds(nurse)).length, (await practice.listKinds(admin)).length];
    const seen: number[][] = [await countNotifications()];
    for (let period = 0; period < 3; period += 1) {
      await practice.periodPasses();
      seen.push(await countNotifications());
    }
    expect(seen).toEqual([
      [2, 0],
      [2, 2],
      [3, 3],
      [4, 4],
    ]);
    const [danger] = await practice.alerts();
    await nurse.post(`${ALERTS}/${danger.uuid}/acknowledge`).expect(200);
    await practice.periodPasses();
    expect(await countNotifications()).toEqual([4, 4]);
  });

  it('is texted if set, of a danger at any hour, without a word about the patient', async () => {
    practice = await alertingPractice(test, quietNow());
    const { organizationId, nurse } = practice;
    await rows().programMember.updateMany({ where: { organizationId }, data: { textAlerts: true } });
    await practice.measure([150]);
    await practice.measure([190, 191]);
    const texts = (await listTexts(organizationId)).map(({ body, toNumber, notBefore }) => ({ body, toNumber, waits: notBefore !== null }));
    const body = 'Hudson Family Practice: an alert of patient monitoring waits.';
    expect(texts).toEqual([true, false].map((waits) => ({ body, toNumber: nurse.user.phone, waits })));
  });
});

describe('a patient', () => {
  it('with a danger value is told by text and on the page what to do now, once an hour', async () => {
    const { organizationId } = practice;
    const { id, path, recipient } = await practice.checkIn();
    await answer(path, '190');
    await practice.textPatients();
    await practice.measure([195], { patientId: recipient.id });
    await practice.textPatients();
    const texts = await listTexts(organizationId);
    expect(texts).toMatchObject([{ toNumber: recipient.mobilePhone, urgent: true }]);
    expect(texts[0]?.body).toContain('Call us: (910) 555-0123');
    expect(texts[0]?.body).toContain('call 911');
    expect((await practice.alerts()).map(({ patient_text }: { patient_text: object }) => patient_text)).toMatchObject([
      { state: 'suppressed', reason_code: 'texted_recently', text_uuid: null },
      { state: 'queued', reason: null, text_uuid: texts[0]?.id },
    ]);
    const guidance = await test.services.unitOfWork.read(jobCaller(organizationId, 'test'), (tx) => findPatientGuidance(tx, id, 'en'));
    expect(guidance?.body).toBe(texts[0]?.body);
  });

  it('is not texted about what was measured hours ago, nor about what is merely outside of a target', async () => {
    await practice.measure([190], { minutesAgo: 121 });
    await practice.measure([150]);
    await practice.textPatients();
    expect(await listTexts(practice.organizationId)).toEqual([]);
    const [danger, watch] = await practice.alerts();
    expect([danger.patient_text, watch.patient_text]).toMatchObject([{ state: 'suppressed', reason_code: 'measured_earlier' }, null]);
  });
});

describe('a symptom that the survey marks as urgent', () => {
  it('alerts with the question and the answer, once, and the page tells the patient what to do', async () => {
    const { organizationId, nurse } = practice;
    const questions = [{ key: 'chest', text: 'Does your chest hurt?', kind: 'yes_no', urgentIf: 'yes' }];
    await rows().surveyType.update({ where: { organizationId_id: { organizationId, id: practice.survey.id } }, data: { questions } });
    const [hurts, well] = [await practice.checkIn(), await practice.checkIn()];
    const say = (path: string, chest: string) => test.http.post(path).type('form').send({ answer_chest: chest }).expect(303);
    await say(well.path, 'no');
    for (const _ of [1, 2]) await say(hurts.path, 'yes');
    expect(await practice.alerts()).toMatchObject([
      {
        kind: 'urgent_symptom',
        severity: 'urgent',
        question: 'Does your chest hurt?',
        answer: 'yes',
        item: null,
        target: null,
        patient_uuid: hurts.recipient.id,
        checkin: { uuid: hurts.id },
        patient_text: null,
      },
    ]);
    expect(await practice.listKinds(nurse)).toEqual(['monitoring_alert.opened']);
    const [item] = (await nurse.get('/inbox')).body.data;
    expect((await nurse.get(`/inbox/${item.uuid}`)).body.data.entries).toMatchObject([
      { kind: 'alert', text: 'Does your chest hurt? yes' },
    ]);
    const guidance = (id: number) =>
      test.services.unitOfWork.read(jobCaller(organizationId, 'test'), (tx) => findPatientGuidance(tx, id, 'en'));
    expect([await guidance(hurts.id), await guidance(well.id)]).toMatchObject([{ body: expect.stringContaining('911') }, null]);
  });
});

describe('a check-in that nobody answers', () => {
  it('alerts after the time of the program, says whether it was sent at all, and is closed by an answer after all', async () => {
    const { organizationId, nurse, programId } = practice;
    const { id, path } = await practice.checkIn();
    await raiseMissedAlerts(test.services);
    expect(await practice.alerts()).toEqual([]);
    const program = { organizationId_id: { organizationId, id: programId } };
    await rows().program.update({ where: program, data: { missedCheckInHours: null } });
    await rows().$executeRaw`
      UPDATE check_in SET sent_at = ${addTime(Prisma.sql`sent_at`, Prisma.sql`hours => -25`)} WHERE organization_id = ${organizationId}`;
    await raiseMissedAlerts(test.services);
    expect(await practice.alerts()).toEqual([]);
    await rows().program.update({ where: program, data: { missedCheckInHours: 24 } });
    await Promise.all([1, 2].map(() => raiseMissedAlerts(test.services)));
    await raiseMissedAlerts(test.services);
    const [missed, ...others] = await practice.alerts();
    expect(others).toEqual([]);
    expect(missed).toMatchObject({ kind: 'missed_check_in', severity: 'watch', target: null, checkin: { uuid: id, answered_at: null } });
    expect(missed.checkin.delivery).toMatchObject({ state: 'queued' });
    expect(await practice.listKinds(nurse)).toEqual(['monitoring_alert.opened']);
    await answer(path, '128');
    expect(await practice.alerts('?state=closed')).toMatchObject([
      { uuid: missed.uuid, closed_by: null, closed_note: 'The patient answered the check-in.' },
    ]);
  });
});
