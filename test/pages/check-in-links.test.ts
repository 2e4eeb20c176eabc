import { describe, expect, it } from 'vitest';
import { sharedTestApp } from '../support/app.ts';
import { type Surveying, sentCheckIn, surveyingPractice } from '../support/check-ins.ts';
import { createOrganization } from '../support/factories.ts';

const test = await sharedTestApp();
const practice: Surveying = await surveyingPractice(test);

const rows = () => test.database.prisma;
const toKey = (id: number) => ({ organizationId_id: { organizationId: practice.organizationId, id } });
const find = (id: number) => rows().checkIn.findUniqueOrThrow({ where: toKey(id) });
const change = (id: number, data: object) => rows().checkIn.update({ where: toKey(id), data });

const GOOD = { systolic: '128,5', symptom: 'None', feeling: '4', slept: 'no', note: '' };
const answer = (path: string) =>
  test.http
    .post(path)
    .type('form')
    .send(Object.fromEntries(Object.entries(GOOD).map(([key, value]) => [`answer_${key}`, value])));

describe('a link', () => {
  it.each(['”', '。', '\u200b', ').', ' '])('to which %j stuck leads on to its own address', async (stuck) => {
    const { path } = await sentCheckIn(test, practice);
    const written = `${path}${encodeURIComponent(stuck)}`;
    await test.http.get(written).expect(200);
    expect((await answer(written).expect(303)).headers.location).toBe(path);
  });

  it('that has expired says so kindly, with the telephone number of the practice, and takes no answers', async () => {
    const { id, path } = await sentCheckIn(test, practice);
    await change(id, { expiresAt: new Date(Date.now() - 1_000) });
    for (const page of [await test.http.get(path), await answer(path)]) {
      expect(page.status).toBe(410);
      expect(page.text).toContain('This link has expired');
      expect(page.text).toContain('(910) 555-0123');
      expect(page.text).not.toContain('Rosa');
    }
    expect((await find(id)).answeredAt).toBeNull();
  });

  it.each([
    ['was deleted', { status: 'deleted' }],
    ['has the day of a death', { deceasedDate: new Date('2031-01-01') }],
  ] as const)('of a patient whose chart %s asks nothing any more', async (_, data) => {
    const { id, path, recipient } = await sentCheckIn(test, practice);
    await rows().patient.update({ where: toKey(recipient.id), data });
    for (const page of [await test.http.get(path), await answer(path)]) {
      expect(page.status).toBe(410);
      expect(page.text).toContain('no longer needed');
      expect(page.text).not.toContain('Rosa');
    }
    expect((await find(id)).answeredAt).toBeNull();
  });

  it('of a survey type that was ended since can still be answered', async () => {
    const ended = await surveyingPractice(test);
    const { path } = await sentCheckIn(test, ended);
    await rows().surveyType.updateMany({ where: { organizationId: ended.organizationId }, data: { active: false } });
    expect((await answer(path)).status).toBe(303);
  });

  it.each(['.', ').', '!', '”', '_', '%22', ',%20'])('opens with %s behind it, which people and programs leave there', async (mark) => {
    const { id, path } = await sentCheckIn(test, practice);
    expect((await test.http.get(`${path}${encodeURI(decodeURI(mark))}`)).status).toBe(200);
    expect((await test.http.get(`${path}a`)).status).toBe(404);
    await answer(`${path}${encodeURI(decodeURI(mark))}`);
    expect((await find(id)).answeredAt).not.toBeNull();
  });

  it('opens nothing where it was never made, altered, another practice’s, or of a practice that is closed', async () => {
    const { path } = await sentCheckIn(test, practice);
    const other = await createOrganization(rows());
    const bytes = Buffer.from(path.slice(3), 'base64url');
    bytes.writeInt32BE(other.id);
    const closed = await surveyingPractice(test);
    const { path: shut } = await sentCheckIn(test, closed);
    await rows().organization.update({ where: { id: closed.organizationId }, data: { active: false } });
    for (const wrong of ['/c/short', `${path.slice(0, -4)}AAAA`, `/c/${bytes.toString('base64url')}`, shut]) {
      for (const page of [await test.http.get(wrong), await answer(wrong)]) {
        expect(page.status, wrong).toBe(404);
        expect(page.text).toContain('This link does not work');
      }
    }
  });

  it('shows what reviewers let the patient see, with who and when, for thirty days', async () => {
    const { id, path, recipient } = await sentCheckIn(test, practice);
    await answer(path);
    const { organizationId, person } = practice;
    const review = (data: object) =>
      rows().checkInReview.create({
        data: {
          organizationId,
          checkInId: id,
          patientId: recipient.id,
          userId: person.user.id,
          minutes: 5,
          startedAt: new Date(),
          ...data,
        },
      });
    await review({ message: 'Looks <good>, keep going.', display: true });
    await review({ message: 'Patient seems anxious.', display: false });
    await review({ message: 'Withdrawn words', display: true, deletedAt: new Date() });
    const page = await test.http.get(path);
    expect(page.text).toContain('What Hudson Family Practice says');
    expect(page.text).toContain('Looks &#60;good&#62;, keep going.');
    expect(page.text).toContain(`${person.user.firstName} ${person.user.lastName}, `);
    expect(page.text).not.toContain('anxious');
    expect(page.text).not.toContain('Withdrawn words');
    await change(id, { expiresAt: new Date(Date.now() - 1_000) });
    expect((await test.http.get(path)).status).toBe(200);
    await change(id, { answeredAt: new Date(Date.now() - 31 * 24 * 3_600_000) });
    expect((await test.http.get(path)).status).toBe(410);
  });
});
