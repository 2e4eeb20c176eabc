import supertest from 'supertest';
import { describe, expect, it } from 'vitest';
import { sharedTestApp } from '../support/app.ts';
import { everyKind, type Surveying, sentCheckIn, surveyingPractice } from '../support/check-ins.ts';
import { createProvider, createUser } from '../support/factories.ts';

const test = await sharedTestApp();
const practice: Surveying = await surveyingPractice(test);

const rows = () => test.database.prisma;
const toKey = (id: number) => ({ organizationId_id: { organizationId: practice.organizationId, id } });
const find = (id: number) => rows().checkIn.findUniqueOrThrow({ where: toKey(id), include: { readings: true } });

const GOOD = { systolic: '128,5', symptom: 'None', feeling: '4', slept: 'no', note: '' };
const answer = (path: string, answers: object = {}) =>
  test.http
    .post(path)
    .type('form')
    .send(Object.fromEntries(Object.entries({ ...GOOD, ...answers }).map(([key, value]) => [`answer_${key}`, value])));

describe('the page of a check-in', () => {
  it('asks all questions in their order, and names no more than the practice and a first name', async () => {
    const { path, recipient } = await sentCheckIn(test, practice);
    const page = await test.http.get(path);
    expect(page.status).toBe(200);
    expect(page.headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
    const texts = ['The upper number', 'Do you feel any of these?', 'How do you feel today?', 'Did you sleep well?', 'Anything that we'];
    const places = texts.map((text) => page.text.indexOf(text));
    expect(places.every((place) => place > 0)).toBe(true);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(page.text).toContain('Hudson Family Practice');
    expect(page.text).toContain('Rosa');
    expect(page.text).not.toContain(recipient.lastName);
    expect(page.text).toContain('From 60 to 260, in mmHg.');
    expect(page.text).toContain('1 means: very bad. 5 means: very good.');
    expect(page.text).not.toContain('<script');
  });

  it('has a label for each field and a legend for each group, and says what is optional', async () => {
    const { text } = await test.http.get((await sentCheckIn(test, practice)).path);
    expect(text).toMatch(/<label class="label" for="answer_systolic">The upper number<\/label>/);
    expect(text.match(/<fieldset/g)).toHaveLength(3);
    expect(text.match(/<legend class="label">/g)).toHaveLength(3);
    expect(text).toMatch(/id="answer_systolic"[^>]*aria-describedby="answer_systolic-hint"/);
    expect(text).toContain('Anything that we should know? <span class="hint">(optional)</span>');
    const ids = [...text.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('says after the answers which target each value was held against, and at a danger value what to do now', async () => {
    const other = await surveyingPractice(test);
    const key = { organizationId_id: { organizationId: other.organizationId, id: other.item.id } };
    const pageAfter = async (systolic: string, language: string) => {
      const { path } = await sentCheckIn(test, other);
      await answer(path, { systolic }).expect(303);
      return (await supertest(test.address).get(`${path}?lang=${language}`).expect(200)).text;
    };
    expect(await pageAfter('128', 'en')).toContain('There is no target for this.');
    await rows().item.update({ where: key, data: { minTarget: 90, maxTarget: 140, dangerMax: 180 } });
    const within = await pageAfter('128', 'en');
    expect(within).toContain('The upper number: <strong>128 mmHg</strong>');
    expect(within).toContain('Your target: 90 to 140 mmHg. This is within your target.');
    expect(within).not.toContain('What to do now');
    const danger = await pageAfter('195', 'en');
    expect(danger).toContain('Your target: 90 to 140 mmHg. This is outside your target.');
    expect(danger).toMatch(/role="alert">.*What to do now.*chest pain.*href="tel:[^"]*19105550123".*href="tel:911"/s);
    const spanish = await pageAfter('195', 'es');
    expect(spanish).toContain('Su objetivo: de 90 a 140 mmHg. Esto está fuera de su objetivo.');
    expect(spanish).toContain('Llamar al 911');
  });

  it('says what to do now in the language of the page, in the words of the practice where it has any in it', async () => {
    const other = await surveyingPractice(test);
    const { organizationId } = other;
    await rows().item.update({ where: { organizationId_id: { organizationId, id: other.item.id } }, data: { dangerMax: 180 } });
    await rows().smsTemplate.create({
      data: { organizationId, name: 'Danger', category: 'danger-value', body: 'Georgette: call us NOW', active: true },
    });
    const { path } = await sentCheckIn(test, other);
    await answer(path, { systolic: '195' }).expect(303);
    const page = async (language: string) => (await supertest(test.address).get(`${path}?lang=${language}`).expect(200)).text;
    expect(await page('en')).toContain('Georgette: call us NOW');
    const spanish = await page('es');
    expect(spanish).not.toContain('Georgette');
    expect(spanish).toMatch(/Qué hacer ahora.*puede necesitar ayuda ahora mismo/s);
  });

  it('hears of a danger in answers that cannot be kept, and says what to do now', async () => {
    const other = await surveyingPractice(test);
    const { organizationId } = other;
    await rows().item.update({ where: { organizationId_id: { organizationId, id: other.item.id } }, data: { dangerMax: 180 } });
    const questions = everyKind(other.item.id).map((one) => (one.key === 'symptom' ? { ...one, urgentChoices: ['Headache'] } : one));
    await rows().surveyType.update({ where: { organizationId_id: { organizationId, id: other.survey.id } }, data: { questions } });
    const alerts = async () =>
      (await rows().monitoringAlert.findMany({ where: { organizationId }, orderBy: { id: 'asc' } })).map(
        ({ kind, answer: said, value }) => [kind, said ?? value?.toNumber()],
      );
    const { path } = await sentCheckIn(test, other);
    const impossible = await answer(path, { systolic: '300', symptom: 'Headache' }).expect(422);
    expect(impossible.text).toMatch(/What to do now.*Please enter a number from 60 to 260/s);
    expect(await alerts()).toEqual([['urgent_symptom', 'Headache']]);
    await answer(path, { systolic: '120' }).expect(303);
    const second = await answer(path, { systolic: '215' }).expect(409);
    expect(second.text).toMatch(/What to do now.*We have told the practice/s);
    expect(await alerts()).toEqual([
      ['urgent_symptom', 'Headache'],
      ['danger_value', 215],
    ]);
    expect((await answer(path, { systolic: '125' }).expect(409)).text).toContain('were not saved');
  });

  it('alerts the care team of a value outside of its target, once, in the inbox too', async () => {
    const { organizationId, person, item } = practice;
    await rows().item.update({ where: { organizationId_id: { organizationId, id: item.id } }, data: { maxTarget: 140 } });
    const doctor = await createUser(rows(), { organizationId });
    const { id, path, recipient } = await sentCheckIn(test, practice);
    await createProvider(rows(), { organizationId, userId: doctor.user.id }).then(({ id: primaryProviderId }) =>
      rows().patient.update({ where: { organizationId_id: { organizationId, id: recipient.id } }, data: { primaryProviderId } }),
    );
    expect((await answer((await sentCheckIn(test, practice)).path, { systolic: '140' })).status).toBe(303);
    expect((await person.get('/inbox')).body.data).toEqual([]);
    for (const _ of [1, 2]) expect((await answer(path, { systolic: '151' })).status).toBe(303);
    const [found, ...others] = (await person.get('/inbox')).body.data;
    expect(others).toEqual([]);
    expect(found).toMatchObject({ kinds: ['alert'], entry_count: 1, chat_id: null, patient: { uuid: recipient.id } });
    const { entries } = (await person.get(`/inbox/${found.uuid}`)).body.data;
    expect(entries).toMatchObject([{ kind: 'alert', subject: { type: 'monitoring_alert' }, text: 'Systolic blood pressure: 151 mmHg' }]);
    const alerts = await rows().monitoringAlert.findMany({ where: { organizationId } });
    expect(alerts).toMatchObject([{ checkInId: id, kind: 'out_of_target', severity: 'watch', state: 'open' }]);
    const told = await rows().notification.findMany({ where: { organizationId } });
    expect(told).toMatchObject([{ userId: doctor.user.id, kind: 'monitoring_alert.opened' }]);
    await rows().item.update({ where: { organizationId_id: { organizationId, id: item.id } }, data: { maxTarget: null } });
  });

  it('keeps the answers with their readings, on the day that it is in the practice, and thanks', async () => {
    const { id, path, recipient } = await sentCheckIn(test, practice);
    const sent = await answer(path, { note: ' Two\r\nlines ' });
    expect([sent.status, sent.headers.location]).toEqual([303, path]);
    const kept = await find(id);
    expect(kept.answers).toEqual({ systolic: 128.5, symptom: 'None', feeling: 4, slept: false, note: 'Two\nlines' });
    expect(kept.answeredAt).not.toBeNull();
    const day = new Intl.DateTimeFormat('en-CA', { timeZone: 'America/New_York' }).format(kept.answeredAt ?? undefined);
    expect(kept.readings).toMatchObject([{ patientId: recipient.id, itemId: practice.item.id, measuredAt: kept.answeredAt }]);
    expect(kept.readings[0]?.value.toNumber()).toBe(128.5);
    expect(kept.readings[0]?.measuredOn.toISOString().slice(0, 10)).toBe(day);
    const page = await test.http.get(path);
    expect(page.text).toContain('Thank you, Rosa');
    expect(page.text).not.toContain('<form');
  });

  it('refuses answers that are not written in UTF-8, and keeps none', async () => {
    const { id, path } = await sentCheckIn(test, practice);
    for (const note of ['N%FA%F1ez', '%EF%BF%BD']) {
      const page = await test.http
        .post(path)
        .type('form')
        .send(`answer_systolic=128&answer_symptom=None&answer_feeling=4&answer_slept=no&answer_note=${note}`);
      expect([page.status, page.text]).toEqual([400, expect.stringContaining('unreadable characters')]);
    }
    expect((await find(id)).answeredAt).toBeNull();
  });

  it('leaves no reading and no entry for what was left out', async () => {
    const survey = await rows().surveyType.create({
      data: {
        organizationId: practice.organizationId,
        name: 'Optional',
        questions: [{ key: 'weight', text: 'Your weight', kind: 'number', required: false, itemId: practice.item.id }],
      },
    });
    const { id, path } = await sentCheckIn(test, practice, { survey_type_id: survey.id });
    expect((await test.http.post(path).type('form').send({ answer_weight: ' ' })).status).toBe(303);
    expect(await find(id)).toMatchObject({ answers: {}, readings: [] });
  });

  it('names what is wrong at the top with links, and at the questions, and keeps what was typed', async () => {
    const { id, path } = await sentCheckIn(test, practice);
    const page = await answer(path, { systolic: '12 <b>', symptom: 'Dragons', feeling: '9', slept: '', note: 'Kept & shown' });
    expect(page.status).toBe(422);
    expect(page.text).toContain('Please look at 4 answers again');
    for (const key of ['systolic', 'symptom', 'feeling', 'slept']) {
      expect(page.text).toContain(`<a href="#answer_${key}">`);
      expect(page.text).toMatch(new RegExp(`aria-describedby="[^"]*answer_${key}-error"`));
    }
    expect(page.text).toContain('value="12 &#60;b&#62;"');
    expect(page.text).toContain('Kept &#38; shown');
    expect(page.text).not.toContain('Dragons');
    expect(await find(id)).toMatchObject({ answers: null, answeredAt: null });
  });

  it('survives forms that no browser sends', async () => {
    const { path } = await sentCheckIn(test, practice);
    for (const body of ['', 'answer_systolic[a]=1&answer___proto__=2&constructor=3', 'answer_systolic=1&answer_systolic=2&%zz']) {
      expect((await test.http.post(path).type('form').send(body)).status).toBe(422);
    }
  });
});

describe('answers', () => {
  it('are kept once: a second time is told when that was, and how to call', async () => {
    const { id, path } = await sentCheckIn(test, practice);
    await answer(path, { systolic: '111' });
    const again = await answer(path, { systolic: '222' });
    expect(again.status).toBe(409);
    expect(again.text).toContain('We already have your answers');
    expect(again.text).toContain('got your answers on');
    expect(again.text).toContain('<a href="tel:+19105550123">(910) 555-0123</a>');
    expect((await find(id)).answers).toMatchObject({ systolic: 111 });
    expect((await find(id)).readings).toHaveLength(1);
  });

  it('that are sent once more as they were, by a double tap, are thanked for as the first time', async () => {
    const { id, path } = await sentCheckIn(test, practice);
    const statuses = (await Promise.all([answer(path), answer(path)])).map(({ status }) => status);
    expect(statuses).toEqual([303, 303]);
    expect((await find(id)).readings).toHaveLength(1);
  });

  it('that are sent twice at the same moment are kept once', async () => {
    const { id, path } = await sentCheckIn(test, practice);
    const statuses = (await Promise.all(['101', '102', '103'].map((systolic) => answer(path, { systolic })))).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([303, 409, 409]);
    const { answers, readings } = await find(id);
    expect(answers).toMatchObject({ systolic: readings[0]?.value.toNumber() });
    expect(readings).toHaveLength(1);
  });

  it('leave one event and audit rows of the link, as opening leaves a read', async () => {
    const { id, path, recipient } = await sentCheckIn(test, practice);
    await test.http.get(path);
    await answer(path);
    const { organizationId } = practice;
    const events = await rows().event.findMany({
      where: { organizationId, subjectType: 'check_in', subjectId: id },
      orderBy: { id: 'asc' },
    });
    expect(events).toMatchObject([{ name: 'check_in.sent' }, { name: 'check_in.answered', actor: 'link:check_in', changed: ['answers'] }]);
    const audits = await rows().auditEntry.findMany({
      where: { organizationId, actor: 'link:check_in', resource: 'check_in', resourceIds: { has: id } },
      orderBy: { id: 'asc' },
    });
    expect(audits.map(({ action, operation }) => `${action} ${operation}`)).toEqual([
      'read GET /c/{token}',
      'read POST /c/{token}',
      'update POST /c/{token}',
    ]);
    expect(audits[0]?.patientIds).toEqual([recipient.id]);
    expect(JSON.stringify(test.logs)).not.toContain(path.slice(3));
  });
});
