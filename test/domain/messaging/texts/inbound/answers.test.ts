import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readAnswer } from '../../../../../src/domain/messaging/answers/answers.ts';
import { readQuoting } from '../../../../../src/domain/messaging/answers/own-words.ts';

const YES = `Y, y, YES, Yes., yes please, "Yes, thank you!", yep, Yeah!, ok, OKAY, Ok 👍, 👍, 👍🏻, 👍🏿👍🏿, ✅, Confirm, C, I confirm, Sí, si gracias, SÍ, s,
  Sí confirmo, confirmo, ¡Claro!, claro que sí, de acuerdo, ahí estaré, Sí ahí estaré gracias, I'll be there, I’ll be there, ok see you then, Yes I can make it,
  sounds good, hola sí, dale, Sii, siiii, yesss, cuente conmigo, será un placer`;
const NO = `N, no, No., no thanks, nope, decline, 👎, 👎🏽, ❌, no puedo, No puedo ir lo siento, No podré, can't make it, I can’t make it, Sorry I can't come,
  I have to cancel, cancel my appointment, Cancelar mi cita por favor, nop, nooo, ya no voy a poder ir, "no, gracias"`;
const NEITHER = `maybe, yes and no, "no problem, I will come", Can I come at 3 instead?, STOP, noon, yes?, ¿sí?, 10:30, 2:00, 1/2, ok no, no yes, Yesterday,
  Nothing, see you at 5, know, not sure, si no llueve, 👍👎, 1 both, No tengo carro, I have no ride, n/a, N / A, N/A thanks`;
/** Of a reaction, the answer that it is to the text which it quotes. */
const readSaid = (body: string) => readAnswer(readQuoting(body)?.said ?? body);
const list = (written: string) => written.split(/,\s(?=(?:[^"]*"[^"]*")*[^"]*$)/).map((one) => one.trim().replaceAll('"', ''));

/** What telephones add below a text, in the languages of patients. */
const SENT_FROM = [
  ...['Sent from my Galaxy', 'Enviado desde mi iPhone', 'Enviado do meu iPhone', 'Enviado a partir do meu Android', 'Envoyé de mon iPhone'],
  ...['Voye soti nan iPhone mwen', 'Отправлено с iPhone', 'Được gửi từ iPhone của tôi', 'Ipinadala mula sa aking iPhone', '发自我的iPhone'],
  ...['從我的 iPhone 傳送', '나의 iPhone에서 보냄', 'أُرسلت من الـ iPhone', 'मेरे iPhone से भेजा गया', 'Von meinem iPhone gesendet'],
];

describe('an answer', () => {
  it.each([...list(YES).map((body) => [body, 'Yes'] as const), ...list(NO).map((body) => [body, 'No'] as const)])(
    '%s is %s',
    (body, answer) => {
      expect(readAnswer(body)).toEqual({ answer, choice: null });
    },
  );

  it.each(['', ' ', ...list(NEITHER)])('%s is neither yes nor no', (body) => {
    expect(readAnswer(body)).toBeNull();
  });

  it.each([
    ['1', null, [1]],
    ['2.', null, [2]],
    ['2️⃣', null, [2]],
    ['12', null, [12]],
    ['1 and 2', null, [1, 2]],
    ['1 y 2', null, [1, 2]],
    ['1, 2 please', null, [1, 2]],
    ['Yes 2', 'Yes', [2]],
    ['2 yes', 'Yes', [2]],
    ['no to 1', 'No', [1]],
    ['Sí, a la 2', 'Yes', [2]],
    ['Y both', 'Yes', 'all'],
    ['sí a las dos', 'Yes', 'all'],
    ['both', null, 'all'],
  ])('%s chooses from a list', (body, answer, choice) => {
    expect(readAnswer(body)).toEqual({ answer, choice });
  });

  const ours = 'Oak Street: can you come on Tue? Reply Y to confirm or N to decline. Reply STOP to end texts.';
  const nuestro = 'Oak Street: ¿Puede venir el martes? Responda S o N. Responda STOP para no recibirlos.';
  const mail = '\n\nOn Mon, Jan 5, 2026 at 3:00 PM Oak <a@b.example> wrote:\n> Reply Y or N';

  it.each([
    ...[
      'Yes\nSent from my iPhone',
      'Yes\nJohn',
      'Sí\nMaría López',
      'SI\r\nMARIA LOPEZ',
      'Yes\n> Reply Y or N',
      `Yes${mail}`,
      'Y\n-----Original Message-----\nno',
    ],
    ...[
      `👍 to “${ours}”`,
      `Liked “${ours}”`,
      `Loved “${nuestro}”`,
      `Le gustó “${nuestro}”`,
      `Ha indicado que le gusta «${nuestro}»`,
      `「${nuestro}」にいいねしました`,
      'Ahí estaré, Dios mediante',
      'Confirmo mi asistencia',
      '“Yes”',
      'Y\u200b',
      'Ｙ',
      'Confirmo\nEnviado desde mi iPhone',
      'Yes, regards\nJohn',
      'Yes—John Smith',
      ...SENT_FROM.map((line) => `Yes\n${line}`),
    ],
  ])('%j is yes', (body) => expect(readSaid(body)).toEqual({ answer: 'Yes', choice: null }));

  it.each([
    'No\nJohn Smith',
    `Disliked “${ours}”`,
    `Não gostou de “${ours}”`,
    `Indicó que no le gusta “${nuestro}”`,
    `Gefiel nicht „${ours}“`,
    `👎 to “${nuestro}”`,
    'No puedo\nAna',
    'No\nEnviado do meu Android',
    'No - Ana',
    'can`t come',
    'CAN’T COME',
    'N\n-- \nJ. Smith',
  ])('%j is no', (body) => expect(readSaid(body)).toEqual({ answer: 'No', choice: null }));

  it.each([
    ...[
      'Yes\nNo',
      'Y\nN',
      'Ok\nNope',
      'Yes\nNot Sure',
      'Yes\nRunning Late',
      'Yes\nCall Me',
      'Yes\nMaybe',
      'Si\nPero Tarde',
      'Yes\nTomorrow',
      'Yes\nbut later',
      'YES\nWHAT TIME',
    ],
    ...[
      `😂 to “${ours}”`,
      `Questioned “${ours}”`,
      `Ya no le gusta “${nuestro}”`,
      'Liked “Oak Street: we are closed on Monday.”',
      'Removed a like from “Reply Y or N”',
    ],
  ])('%j says more, or nothing', (body) => expect(readAnswer(body)).toBeNull());

  it.each([
    ['1\nMaria', 1],
    ['１', 1],
    ['٢', 2],
    ['2\n> Reply 1 or 2', 2],
    ['1️⃣\nJohn', 1],
  ])('%j chooses %i', (body, number) => expect(readAnswer(body)).toEqual({ answer: null, choice: [number] }));

  it('is understood in the patient’s language', () => {
    expect([readAnswer('Có', 'vi')?.answer, readAnswer('không', 'vi')?.answer, readAnswer('是', 'zh')?.answer]).toEqual([
      'Yes',
      'No',
      'Yes',
    ]);
    expect([readAnswer('не', 'ru'), readAnswer('Нет', 'ru')?.answer, readAnswer('Có')]).toEqual([null, 'No', null]);
  });

  it('is the same in any case, with any punctuation and courtesy around it', () => {
    const words = [...list(YES), ...list(NO)].filter((one) => /^[\p{L} ]+$/u.test(one));
    const around = fc.constantFrom('', ' ', '  ', '!', '.', '...', ' 😊', '\n', ' thanks', ' gracias', ' please');
    fc.assert(
      fc.property(fc.constantFrom(...words), around, fc.boolean(), (body, end, upper) => {
        expect(readAnswer(`${upper ? body.toUpperCase() : body.toLowerCase()}${end}`)).toEqual(readAnswer(body));
      }),
      { numRuns: 300 },
    );
  });

  it('is never read from a text that says both, or that says more', () => {
    const [yes, no] = [list(YES), list(NO)].map((words) => fc.constantFrom(...words));
    const more = fc.constantFrom('but', 'unless', 'what time', 'pero', 'porque', 'tomorrow', 'my son');
    fc.assert(
      fc.property(yes ?? fc.string(), no ?? fc.string(), more, (first, second, word) => {
        expect([
          readAnswer(`${first}. ${second}`)?.answer ?? null,
          readAnswer(`${second} ${word}`),
          readAnswer(`${word} ${first}`),
        ]).toEqual([null, null, null]);
      }),
      { numRuns: 300 },
    );
  });

  it('is read from anything that people can type, without an error', () => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (body) => void readAnswer(body, 'zh')));
  });
});
