import { describe, expect, it } from 'vitest';
import { jobCaller } from '../../../../../src/domain/caller.ts';
import { createSurveyType } from '../../../../../src/domain/messaging/check-ins/survey-types.ts';
import { variantsShape } from '../../../../../src/domain/messaging/check-ins/survey-wordings.ts';
import { questionsShape } from '../../../../../src/domain/messaging/check-ins/surveys.ts';
import { createOperator } from '../../../../admin/command-line.ts';
import { sharedTestApp } from '../../../../support/app.ts';
import { createRecipient, findLink, surveyingPractice } from '../../../../support/check-ins.ts';

const test = await sharedTestApp();
const practice = await surveyingPractice(test);
const { organizationId, person } = practice;
const operator = createOperator(test);

const SPANISH = {
  language: 'es',
  name: '¿Cómo está?',
  questions: [
    { key: 'feeling', text: '¿Cómo se siente?', minLabel: 'muy mal', maxLabel: 'muy bien' },
    { key: 'symptom', text: '¿Siente algo de esto?', choices: ['Nada', 'Mareo'] },
    { key: 'note', text: '¿Algo más?', urgentWords: ['entumecido'] },
  ],
};
const SURVEY = {
  name: 'How is it?',
  language: 'en',
  questions: [
    { key: 'feeling', text: 'How do you feel?', kind: 'scale', min: 1, max: 5, minLabel: 'very bad', maxLabel: 'very good' },
    { key: 'symptom', text: 'Any of these?', kind: 'choice', choices: ['None', 'Dizziness'] },
    { key: 'note', text: 'Anything else?', kind: 'text', required: false, urgentWords: ['numb'] },
  ],
  variants: [SPANISH],
};

const added = async ({ questions, variants, ...survey }: { name: string; language: string; questions: unknown; variants?: unknown }) => {
  const asked = { ...survey, questions: questionsShape.parse(questions), variants: variantsShape.parse(variants ?? []) };
  return (await test.services.unitOfWork.write(jobCaller(organizationId, 'test'), (tx) => createSurveyType(tx, asked))).id;
};
const sendTo = async (languageCode: string, surveyTypeId: number) => {
  const recipient = await createRecipient(test, organizationId, { languageCode });
  const sent = await person
    .post('/checkin/send')
    .send({ sms_email: 'sms', recipient_id: recipient.id, survey_type_id: surveyTypeId })
    .expect(201);
  return { sent, recipient, path: await findLink(test, organizationId, Number(sent.body.data.uuid)) };
};
const answer = (path: string, answers: Record<string, string>) =>
  test.http
    .post(path)
    .type('form')
    .send(
      Object.fromEntries(Object.entries({ feeling: '4', symptom: 'None', ...answers }).map(([key, value]) => [`answer_${key}`, value])),
    );

const both = await added(SURVEY);
const { variants: _none, ...ENGLISH } = { ...SURVEY, name: 'English only' };
const english = await added(ENGLISH);

describe('a survey in two languages', () => {
  it('is read in the patient’s, or the one that the patient chooses, and its answers are one', async () => {
    const { sent, path } = await sendTo('spa', both);
    expect([sent.body.warnings, sent.headers['warning-codes']]).toEqual([[], undefined]);
    const page = (await test.http.get(path).expect(200)).text;
    expect(page).toContain('<h1>¿Cómo está?</h1>');
    for (const words of ['¿Cómo se siente?', '1 significa: muy mal.', 'Mareo']) expect(page).toContain(words);
    expect(page).not.toMatch(/How do you feel|very bad|Dizziness(?!")/);
    expect((await test.http.get(`${path}?lang=en`).expect(200)).text).toContain('1 means: very bad.');
    await answer(path, { symptom: 'Dizziness' }).expect(303);
    const [reported] = (await person.get('/remote-patient-monitoring/checkins').expect(200)).body.data;
    expect(reported.answers.map(({ question, answer: given }: Record<string, unknown>) => [question, given])).toEqual([
      ['How do you feel?', 4],
      ['Any of these?', 'Dizziness'],
      ['Anything else?', null],
    ]);
  });

  it('is listed with both, and refused where one lacks words', async () => {
    const listed = (await person.get('/survey-types').expect(200)).body.data.find(({ uuid }: { uuid: number }) => uuid === both);
    expect(listed).toMatchObject({ language: 'en', variants: [{ language: 'es', name: '¿Cómo está?' }] });
    expect(listed.questions[2].urgent.words).toEqual(['numb', 'entumecido']);
    const oneChoice = SPANISH.questions.map((question) => (question.choices ? { ...question, choices: ['Nada'] } : question));
    const wrong: [object, string][] = [
      [{ questions: SPANISH.questions.slice(1) }, '"feeling"'],
      [{ language: 'en' }, 'another wording'],
      [{ questions: [...SPANISH.questions, { key: 'other', text: 'X' }] }, '"other"'],
      [{ questions: oneChoice }, '2 different choices'],
    ];
    for (const [change, why] of wrong)
      await expect(added({ ...SURVEY, name: 'Another', variants: [{ ...SPANISH, ...change }] })).rejects.toThrow(why);
  });
});

describe('urgent words', () => {
  it.each([
    ['spa', both, 'Tengo dolor de pecho y me falta el aire'],
    ['spa', english, 'Tengo dolor de pecho y me falta el aire'],
    ['eng', both, 'No puedo respirar bien'],
    ['eng', english, 'me duele el pecho'],
    ['spa', english, 'I have chest pain'],
    ['spa', both, 'Tengo el brazo entumecido'],
    ['eng', both, 'Tengo el brazo entumecido'],
  ])('of both languages alert a patient (%s)', async (language, survey, note) => {
    const { recipient, path } = await sendTo(language, survey);
    await answer(path, { note }).expect(303);
    const alerts = (await person.get(`/remote-patient-monitoring/alerts?patient=${recipient.id}`).expect(200)).body.data;
    expect(alerts).toMatchObject([{ kind: 'urgent_symptom', severity: 'urgent' }]);
    expect((await test.http.get(path).expect(200)).text).toContain('href="tel:911"');
  });

  it('do not alert of what is none, and a survey may have none at all', async () => {
    const quiet = await added({ ...ENGLISH, name: 'Quiet', questions: [{ ...ENGLISH.questions[2], urgentWords: [] }] });
    for (const [survey, note] of [
      [both, 'Todo bien, gracias. Duermo mejor.'],
      [quiet, 'I had chest pain in 1990'],
    ] as const) {
      const { recipient, path } = await sendTo('eng', survey);
      await answer(path, { note }).expect(303);
      expect((await person.get(`/remote-patient-monitoring/alerts?patient=${recipient.id}`)).body.data).toEqual([]);
    }
  });
});

describe('a survey that lacks the patient’s language', () => {
  it('is told when it is sent, and by doctor', async () => {
    const { sent, path } = await sendTo('vie', both);
    expect(sent.headers['warning-codes']).toBe('survey_language_missing');
    expect(sent.body.warnings).toEqual([{ code: 'survey_language_missing', detail: expect.stringContaining('(vi)') }]);
    expect((await test.http.get(path).expect(200)).text).toContain('How do you feel?');
    const said = await operator.say('doctor --only', 'survey languages');
    expect(said).toMatchObject({ code: 1, out: expect.stringContaining(`survey ${both} of practice ${organizationId} lacks vi`) });
    expect(said.out).toMatch(new RegExp(`survey ${english} of practice ${organizationId} lacks es`));
  });
});
