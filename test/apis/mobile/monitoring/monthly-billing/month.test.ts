import { Temporal } from 'temporal-polyfill';
import { afterAll, describe, expect, it } from 'vitest';
import { createSecretLink } from '../../../../../src/domain/identity/secret-links.ts';
import { createUnitOfWork } from '../../../../../src/domain/unit-of-work/unit-of-work.ts';
import { sendPushes } from '../../../../../src/jobs/sending/send-push.ts';
import { signedInUser } from '../../../../support/actors.ts';
import { closedAfterAll, ownTestApp } from '../../../../support/app.ts';
import { createPatient, createProvider } from '../../../../support/factories.ts';
import { eventually } from '../../../../support/server-process.ts';
import { listen } from '../../notifications/listener.ts';
import { createDevice, startPushService } from '../../notifications/push-service.ts';
import { createProgram } from '../care.ts';
import { createCheckIn, createReading, openMeasuring } from '../readings/reported.ts';

const RPM = '/remote-patient-monitoring';

const service = await closedAfterAll(startPushService());
const test = await ownTestApp({ ALLOW_PRIVATE_ADDRESSES: 'true' });
const rows = () => test.database.prisma;
const nurse = await signedInUser(test);
const { organizationId } = nurse;
const doctor = await signedInUser(test, { organizationId, type: 'provider' });
/** Records work more than thirty days ago. */
const admin = await signedInUser(test, { organizationId, type: 'admin' });
const ON_PAPER = 'Noted on paper at the time.';
const measuring = await openMeasuring(rows(), organizationId);
const provider = await createProvider(rows(), { organizationId, userId: doctor.user.id });
const patientId = (await createPatient(rows(), { organizationId, firstName: 'Rosa', lastName: 'Diaz', primaryProviderId: provider.id })).id;
const program = await createProgram(rows(), { organizationId, name: 'Blood pressure at home' });
const stream = await listen(test.address, doctor.token);
afterAll(() => stream.leave());
/** The doctor also hears of the answer that is out of its target. */
const heardReviews = () => stream.events.filter(({ data: { kind } }) => kind === 'checkin_review.created');
/** The check-in that the patient answered on its page. */
let answered: { id: number; path: string };
/** The month that is over in the practice. */
const month = Temporal.Now.zonedDateTimeISO('America/New_York').toPlainDate().toPlainYearMonth().subtract({ months: 1 });
const writeDay = (day: number) => month.toPlainDate({ day }).toString();
const ledger = async () => (await nurse.get(`${RPM}/ledger?month=${month}&patient_uuid=${patientId}`).expect(200)).body.data[0];
const codes = async () => (await ledger()).codes.map(({ code }: { code: string }) => code);
const missing = async () => (await ledger()).missing.map(({ text }: { text: string }) => text);

describe('a month of a patient who is monitored', () => {
  it('begins in a program, at its first step, with a target of their own', async () => {
    await nurse.post(`${RPM}/programs/add-patient`).send({ program_uuid: program.id, patient_uuid: patientId }).expect(201);
    await nurse.post(`${RPM}/programs/add-patient`).send({ program_uuid: program.id, patient_uuid: patientId }).expect(409);
    const consent = { given_at: `${writeDay(1)}T08:00:00`, how: 'verbal', note: 'On the telephone.' };
    await nurse.post(`${RPM}/patients/${patientId}/consent`).send(consent).expect(201);
    const items = [{ item_uuid: measuring.systolic.id, min_target: 100, max_target: 135 }];
    const condition = { patient_uuid: patientId, user_uuid: doctor.user.id, icd_code: 'I10', icd_lex_code: 24526, items };
    const answer = await nurse.post(`${RPM}/tracked-conditions`).send(condition);
    expect(answer.status, answer.text).toBe(201);
    const { body } = await nurse.get(`${RPM}/patients/${patientId}`).expect(200);
    expect(body.data).toMatchObject({ programs: [expect.anything()] });
  });

  it('shows an answer that the patient gives on the page at once, and that it is out of the target', async () => {
    const { token, hash } = createSecretLink(organizationId);
    const sent = { organizationId, patientId, surveyTypeId: measuring.surveyTypeId, linkHash: hash, sentByUserId: nurse.user.id };
    const { id } = await createCheckIn(rows(), sent);
    answered = { id, path: `/c/${token}` };
    await test.http.post(answered.path).type('form').send({ answer_systolic: '142', answer_slept: 'yes' }).expect(303);
    const [reported] = (await nurse.get(`${RPM}/checkins/patients/${patientId}`).expect(200)).body.data;
    expect(reported).toMatchObject({ uuid: id, out_of_target: true, reviewed: false });
    expect(reported.answers[0]).toMatchObject({ answer: 142, target: { min: 100, max: 135 }, out_of_target: true });
  });

  it('adds up: day by day the readings, and minute by minute the work', async () => {
    await createReading(rows(), measuring, { organizationId, patientId, on: writeDay(1) });
    expect(await codes()).toEqual([]);
    expect(await missing()).toEqual(['1 day of readings to 99445', '10 minutes and live contact to 99470']);
    for (let day = 2; day <= 16; day += 1) await createReading(rows(), measuring, { organizationId, patientId, on: writeDay(day) });
    expect(await codes()).toEqual(['99454']);
  });

  it('tells the doctor of each review, in the stream and by push', async () => {
    const device = createDevice(`${service.address}/doctor`);
    await doctor.post('/push-subscriptions').send(device.subscription).expect(201);
    const [first, second] = await rows().checkIn.findMany({ where: { organizationId, patientId }, orderBy: { id: 'asc' }, skip: 1 });
    const review = (checkin: number | undefined, data: object) =>
      admin
        .post(`${RPM}/checkin-reviews`)
        .send({ checkin_uuid: checkin, patient_uuid: patientId, user_uuid: nurse.user.id, reason: ON_PAPER, ...data });
    const one = await review(first?.id, { minutes: 10, started_at: `${writeDay(3)}T10:00:00`, message: 'Looked at it.' }).expect(201);
    // A colleague's; five of these minutes are the same as those of the first.
    await review(second?.id, { minutes: 11, started_at: `${writeDay(3)}T10:05:00`, live_contact: true, user_uuid: admin.user.id }).expect(
      201,
    );
    await eventually('the doctor hears of both', async () => heardReviews().length === 2);
    expect(heardReviews()[0]?.data.subject).toEqual({ type: 'checkin_review', uuid: one.body.data.uuid });

    const { push } = test.services.gateways;
    const job = sendPushes({ unitOfWork: createUnitOfWork(test.database), push, keyring: test.keyring });
    for (const { data } of heardReviews()) expect(await job.run(organizationId, data.uuid)).toBe('done');
    expect(service.arrived.map((arrived) => device.read(arrived))).toMatchObject(
      heardReviews().map(({ data: { subject } }) => ({ subject })),
    );
    expect(await ledger()).toMatchObject({ minutes: 16, reviews: 2, reading_days: 16, live_contact: true });
    expect(await codes()).toEqual(['99454', '99470']);
    expect(await missing()).toEqual(['4 minutes to 99457']);
  });

  it('goes on to the next step, and is billed', async () => {
    const step = { program_uuid: program.id, patient_uuid: patientId, step_uuid: program.steps[1] };
    await nurse.post(`${RPM}/programs/events`).send(step).expect(201);
    const [third] = await rows().checkIn.findMany({ where: { organizationId, patientId }, orderBy: { id: 'asc' }, skip: 5, take: 1 });
    await admin
      .post(`${RPM}/checkin-reviews`)
      .send({ checkin_uuid: third?.id, minutes: 4, started_at: `${writeDay(9)}T09:00:00`, reason: ON_PAPER })
      .expect(201);
    expect(await codes()).toEqual(['99454', '99457']);
    expect(await missing()).toEqual(['20 minutes to 99458']);
    const csv = await nurse.get(`${RPM}/ledger?month=${month}&format=csv`).expect(200);
    expect(csv.text.split('\r\n')[1]).toContain(`${month},${patientId},Diaz,Rosa,20,3,16,yes,99454 99457,20 minutes to 99458,rpm,`);
    const counts = (await nurse.get(`${RPM}/checkins/count/${doctor.user.id}`).expect(200)).body.data;
    expect(counts).toMatchObject({ total: 17, answered: 17, reviewed: 3, unreviewed: 14, open_reviews: 14 });
  });

  it('tells the patient, on the page, what the reviewers let them see', async () => {
    const review = (data: object) => nurse.post(`${RPM}/checkin-reviews`).send({ checkin_uuid: answered.id, minutes: 1, ...data });
    await review({ message: 'Keep going as you do.', display: 1 }).expect(201);
    await review({ message: 'Seems to forget the evening dose.', display: 0 }).expect(201);
    const page = await test.http.get(answered.path).expect(200);
    expect(page.text).toContain('Keep going as you do.');
    expect(page.text).not.toContain('evening dose');
  });
});
