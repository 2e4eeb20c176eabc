import { describe, expect, it } from 'vitest';
import { sharedTestApp } from '../../../../support/app.ts';
import { createSurvey, sentCheckIn, surveyingPractice } from '../../../../support/check-ins.ts';

const test = await sharedTestApp();

describe('survey types', () => {
  it('are listed with their questions and what these measure, for a client to build its screens from', async () => {
    const { person, survey, item } = await surveyingPractice(test);
    await createSurvey(test, person.organizationId, { name: 'Ended', active: false });
    const { data, meta } = (await person.get('/survey-types?active=1')).body;
    expect(meta.total).toBe(1);
    expect(data).toMatchObject([{ uuid: survey.id, name: 'How are you?', active: 1 }]);
    expect(data[0].questions).toEqual([
      expect.objectContaining({
        key: 'systolic',
        text: 'The upper number',
        kind: 'number',
        required: true,
        min: 60,
        max: 260,
        choices: null,
        item: { uuid: item.id, name: 'Systolic blood pressure', unit: 'mmHg' },
      }),
      expect.objectContaining({ key: 'symptom', kind: 'choice', choices: ['None', 'Headache'], item: null }),
      expect.objectContaining({ key: 'feeling', kind: 'scale', min: 1, max: 5, min_label: 'very bad', max_label: 'very good' }),
      expect.objectContaining({ key: 'slept', kind: 'yes_no', min: null }),
      expect.objectContaining({ key: 'note', kind: 'text', required: false, urgent: null }),
    ]);
    expect((await person.get('/survey-types')).body.data).toMatchObject([{ name: 'How are you?' }, { name: 'Ended', active: 0 }]);
    expect((await person.get('/survey-types?limit=1&page=2')).body.data).toMatchObject([{ name: 'Ended' }]);
  });

  it('tell the practice which answers are urgent, as the report of a check-in does, and no patient', async () => {
    const practice = await surveyingPractice(test);
    const none = { answer: null, choices: null, from: null, to: null, words: null };
    const questions = [
      { key: 'worse', text: 'Worse than yesterday?', kind: 'yes_no', urgentIf: 'yes' },
      { key: 'symptom', text: 'Which?', kind: 'choice', choices: ['None', 'Chest pain'], urgentChoices: ['Chest pain'] },
      { key: 'pain', text: 'How much?', kind: 'scale', min: 0, max: 10, urgentFrom: 8 },
      { key: 'note', text: 'Anything else?', kind: 'text', urgentWords: ['numbness'], required: false },
    ];
    const survey = await createSurvey(test, practice.organizationId, { name: 'Heart', questions });
    const listed = (await practice.person.get('/survey-types')).body.data.find(({ uuid }: { uuid: number }) => uuid === survey.id);
    expect(listed.questions.map(({ urgent }: { urgent: object }) => urgent)).toEqual([
      { ...none, answer: 'yes' },
      { ...none, choices: ['Chest pain'] },
      { ...none, from: 8, to: 10 },
      { ...none, words: ['numbness'] },
    ]);
    const { path } = await sentCheckIn(test, { ...practice, survey });
    const page = await test.http.get(path).expect(200);
    expect(page.text).toContain('Worse than yesterday?');
    expect(page.text).not.toMatch(/urgent|numbness/);
    await test.http.post(path).type('form').send({ answer_worse: 'no', answer_symptom: 'Chest pain', answer_pain: '8' }).expect(303);
    const [{ answers }] = (await practice.person.get('/remote-patient-monitoring/checkins')).body.data;
    expect(answers.map(({ urgent }: { urgent: boolean | null }) => urgent)).toEqual([false, true, true, null]);
  });
});
