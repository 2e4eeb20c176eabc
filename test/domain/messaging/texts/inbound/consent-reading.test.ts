import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readConsent } from '../../../../../src/domain/messaging/answers/consent-reading.ts';
import { codePoint } from '../../../../support/code-point.ts';

const phrases = (table: string): string[] => table.trim().split(/\s*[|\n]\s*/);

/** Keywords of carriers and law, which staff need not look at. */
const KEYWORDS = {
  stop: phrases(`
  STOP | stop |  Stop.  | STOP! | stopall | STOP ALL | Unsubscribe | cancel | END | Quit | revoke | OptOut | opt-out | "STOP"
  Stop, please. | please stop | por favor alto | S.T.O.P. | s t o p | Stoppp | ST0P | ALTO | Parar | arret | Cancel please | unsuscribe
  sotp`),
  start: phrases(`
  START | start. | UnStop | opt in | Iniciar | comenzar | EMPEZAR`),
  help: phrases(`
  HELP | help? | Info | Help please! | ayuda | ¡Ayuda! | información`),
};

/** Revocations in other words, of which staff are told. */
const STOP = phrases(`
  I no longer wish to receive these | Bob no longer has this number | This is not Bob's phone | Ana ya no tiene este número | me están molestando | este no es el número de Ana | I don't want these | this is not Ana’s number | Parada | STOP now | Stop it | stop it!!! | STOP STOP STOP | stop already | Stop this now | just stop | No, stop. | no stop | stop pls
  please stop texting me | Please stop messaging me | stop texting | stop text | stop texts | Stop all texts | stop sending me messages
  stop sending these | quit texting me | Quit sending me this crap | stop contacting me | stop bothering me | stop the spam
  stop spamming me | can you stop texting me? | Could you please stop | will you stop sending me reminders | when will you stop texting me
  why dont you stop texting me | if you don’t stop texting me I will call a lawyer | you never stop texting me
  I want to stop getting these texts | how do I stop getting texts? | How do I stop these messages | how to stop receiving messages
  I want this to stop | this has to stop | remove me | Remove me please | remove me from your list | please remove my number
  REMOVE MY NUMBER FROM YOUR DATABASE | take me off | take me off your list | take me off this list please
  Take my number off your contact list. | delete my number | lose my number | get me off this list | unsubscribe me
  I would like to unsubscribe | how do I unsubscribe? | unsub | opt me out | I want to opt out | opting out of texts | no more texts
  No more messages please | no more | no texts | no text messages please | No more reminders! | enough | Enough with the texts
  leave me alone | Leave me the hell alone | go away | shut up | spam | knock it off | don’t text me again | Dont text me | do not text me
  DO NOT CONTACT ME | Do not text this number | never text me again | please do not send me any more texts | don’t message me anymore
  do not text | don't send me anything | dont bother me | I don’t want these texts | I do not want to receive text messages
  I no longer wish to receive texts | i dont want any more messages | I don’t want to be contacted | I don’t want you to text me
  I never consented to this | I revoke my consent | I withdraw my consent to texts | I do not consent | you may not text me | cancel texts
  cancel my subscription | end texts | end messages | turn off notifications | turn off these reminders | wrong number | Wrong number stop
  you have the wrong number | Sorry, wrong person | who is this STOP | STOP i dont know you | Who is this? Stop. | Stop, I can’t come at 3
  STOP texting my phone | 🛑 | 🛑🛑 | stop2end | Reply stop | I said stop | OK stop | thanks, stop | Pare | paren | pare ya | BASTA
  ¡Ya basta! | para | Para ya | detener | cancelar | fin | salir | terminar | no más | No más, gracias | déjenme en paz
  Dejenme en paz por favor | déjeme tranquila | no me manden más mensajes | No me manden mensajes | no me envíe más mensajes de texto
  no me escriban | por favor no me escriban más | No me texteen | no me contacten | no me molesten | no me vuelvan a escribir
  ya no me manden nada | ya no quiero recibir | Ya no quiero recibir mensajes | no quiero más mensajes | no quiero mensajes
  no quiero recibir sus textos | no quiero que me escriban | no deseo recibir más recordatorios | quítenme de la lista
  Quíteme de su lista por favor | sáquenme de su lista | bórrenme | borren mi número | elimine mi número | elimínenme de su base de datos
  cancelar suscripción | cancelar mi suscripción | anular la suscripción | darme de baja | Dar de baja | quiero darme de baja
  denme de baja | desuscribirme | desuscribir | dejen de mandarme mensajes | Deje de escribirme | dejen de molestar
  paren de enviar mensajes | basta de mensajes | alto a los mensajes | cancelar mensajes | no más mensajes | no mas textos
  número equivocado | tiene el número equivocado | Se equivocó de número | retiro mi consentimiento | revoco mi autorización
  no autorizo estos mensajes`);

const START = phrases(`
  start texts | Start texting me again | resume texts | Resume | resubscribe | subscribe me again | opt me back in | sign me up again
  you can text me again | restart texts please | I want your texts again | quiero recibir mensajes | Quiero volver a recibir sus mensajes
  reanudar los mensajes | pueden escribirme de nuevo`);

const OURS = 'Oak Street Clinic: can you come on Tue, Dec 29? Reply Y or N. Reply STOP to end texts.';
/** Words of the practice that a person only quotes. */
const QUOTED = [
  ...phrases(`
  Liked “OURS” | Loved "OURS" | Disliked “OURS” | Laughed at “OURS” | Emphasized “OURS” | Removed a like from “OURS” | 👍 to “OURS” | \u200b👍\u200b to “\u200bOURS\u200b”
  😂 to “OURS” | ❤️ to “OURS” | Reacted 😮 to “OURS” | Gefiel „OURS“ | 「OURS」にいいねしました | A aimé « OURS » | Le gustó “OURS” | A Ana le encantó «OURS»
  喜欢了“OURS” | Liked “He said “STOP” and “Reply STOP to end texts” to me” | Liked “Oak Street: reply STOP to end te…
  Gillade ”STOP” | Gillade ”OURS” | Понравилось «STOP» | 赞了“STOP” | 赞了"STOP" | “STOP”을(를) 좋아함 | Tykkäsi: »STOP» | Synes godt om »STOP« | Líbí se „STOP“
  ＂STOP＂ 👍 | Polubiono ”STOP” | ‹STOP› hoşuna gitti | أعجبني "STOP" | 『STOP』にハート | Liked "Stop" | Ana said "STOP"
  What does “Reply STOP to end” mean? | Your text says "Reply STOP" | > OURS | Liked an image`),
  '> Reply STOP\n> to end texts\nWhat is this about',
  'Where do I park?\n\nOn Mon, Jan 5, 2026 at 3:00 PM Oak Street <a@b.example> wrote:\nOURS',
  'Llego tarde\nEl lun, 5 ene 2026 a las 15:00, Oak Street escribió:\nSTOP',
  'On Tue, Hudson wrote: STOP',
  'Running late\n-----Original Message-----\nSTOP',
].map((body) => body.replace('OURS', OURS));
/** A loud STOP in a sentence about something else, and what devices write. */
const ABOUT_ELSE = phrases(`
  I want the pain to STOP | Which medicine should I STOP | When should I STOP eating | Please make the bleeding STOP | The itching will not STOP | Should I STOP
  Do you want me to STOP metformin | My doctor told me to STOP | Is this where the bus will STOP | STOP metformin or keep it | Will this rash STOP | my phone says STOP
  How do I make this headache STOP | When does your office STOP | Quiero que el dolor STOP | ALERT: insulin pump STOP | Low glucose alert. STOP
  Ring: motion at your Front Door. Reply STOP to end alerts | Your code is 4711. Text STOP to opt out | Su código es 1234. Responda STOP para no recibir más mensajes
  Dexcom: STOP, sensor failed | Dexcom G7: STOP. Sensor failed | Tandem: STOP, occlusion | CPAP: STOP | CPAP:STOP | Omron says: error. STOP. measure again
  Dr said: STOP | My doctor wrote : Stop. | Pharmacy told me: STOP. Is that right? | Warfarin: stop? | Warfarin, stop? | Stop? | STOP: sensor
  alto: la presión está alta | Alto : revise el sensor | La bomba dice: PARAR | Metformina: ¿parar? | Results: see you 10:30. STOP
  Dexcom: Urgent Low 54 mg/dL. Stop. | Alarma de la bomba: STOP | Pump alarm! STOP! delivery suspended`);
/** A name, or what a telephone adds, below a keyword; and a keyword in other characters. */
const SIGNED = [
  ...[
    'Stop\nJohn Smith',
    'STOP\r\nMaría López',
    'Parar\nMaría López',
    'Alto\u2028José',
    'stop\nSent from my iPhone',
    'Stop\n\n--\nJohn Q. Smith',
    'stop - John',
    'STOP—Maria',
    'Stop – María López',
    'STOP -- John Q. Smith',
    'Stop :)',
  ],
  ...[
    'STOP\n> Reply STOP to end',
    '“Stop”',
    '”STOP”',
    '"STOP".',
    '»Stop«',
    '「STOP」!',
    '«STOP»',
    'Unsubscribe\nEnviado desde mi iPhone',
    'ＳＴＯＰ',
    'S\u200bTOP',
    'st\u00adop',
    'ﬆop',
    'stop\u202c',
  ],
];
/** Of whoever was asked about a visit: CANCEL ends texts, other words that cancel do not, and what names texts does. */
const CANCELLING = {
  stop: phrases('cancel | CANCEL | Cancel. | "Cancel" | cancel texts | cancel my subscription | cancelar mensajes | Cancel. STOP | stop'),
  none: phrases('cancelar | Cancelar por favor | cancelen | cancel please | please cancel | quiero cancelar | cancel it | cancelarla'),
};

/** Neither: an answer, or for a person to read. */
const NEITHER = phrases(`
  thanks | please | Y | yes | no | No | no thanks | No, thank you | restart | ending | ok | 👍 | 👎 | stop by at 3? | please stop by
  Can I stop by tomorrow | Stop by at 3? | STOP BY AT 3? | I will stop in after work | STOP at the front desk first? | the next stop
  is there a bus stop nearby | when does the bus stop | Where does the bus STOP | I can’t stop coughing | I cannot stop throwing up
  the bleeding won’t stop | it doesnt stop hurting | I can’t stop | He does not stop crying | my heart would not stop racing
  should I stop taking the pills? | Can I stop taking metformin | When should I stop eating before surgery | stop taking aspirin?
  I stopped the medicine | do I stop the antibiotics today | I want to stop smoking | help me stop smoking | Should I stop
  no more pain, thanks | no more fever today | no more appointments this week please | I have had enough of this pain | is one pill enough?
  I want to end this | cancel my appointment | I want to cancel my appointment | Please cancel Tuesday | cancel the visit
  can you cancel it | I need to cancel | cancel and reschedule | end of the month works | I quit smoking | I quit my job
  please don’t stop texting me | do not stop the reminders | don’t stop sending me texts | I don’t want you to stop texting
  I don’t want to unsubscribe | why did you stop texting me? | did you stop sending reminders | you stopped texting me
  I never got your text | I didn’t get the message | why don’t you text me anymore? | I don’t want to miss your texts
  don’t text me at work, use my other number | please don’t text me before 9 | don’t call, text me | text me instead | Don’t forget me
  take me off metformin | Can you take me off the waitlist | remove me from the 3pm slot | please remove my stitches | leave the door open
  the wrong number of pills | I think I gave you the wrong number for the pharmacy | wrong dose | not interested | who is this?
  Liked “Oak Street Clinic: see you on Tue, Dec 29, 10:00 AM. Reply STOP to end texts.”
  Loved "Oak Street Clinic: you will get texts from us again. Reply STOP to end them, HELP for help." | starting Monday I am away
  when can I start physical therapy | start at 9? | I need help | help me | help with my bill | subscribe to what? | info about my bill
  me está molestando la rodilla | no soy diabético | I no longer wish to receive these shots | parada de autobús | para mañana | Para el martes | ¿es para mí? | ¿para qué? | para las 3 está bien | no puedo parar de toser
  no puedo dejar de toser | ¿Puedo dejar de tomar las pastillas? | ¿debo parar la medicina? | tengo la presión alta | alto en azúcar
  ¿basta con una pastilla? | cancelar mi cita | quiero cancelar la cita | Quiero cancelar | no puedo ir | no | sí | no, gracias
  no más dolor, gracias | ya no tengo fiebre | ya no puedo ir | no me mandaron la receta | no me escribieron | no quiero más dolor
  no quiero la vacuna | no quiero recibir la vacuna | a fin de mes | ¿puedo salir temprano? | dar de alta | baja de peso
  no me escriban antes de las 9 | por favor no dejen de mandarme mensajes | el número equivocado de pastillas | no me dejen de escribir`);

const read = (body: string) => readConsent(body)?.keyword ?? null;
const all = (bodies: readonly string[], keyword: string | null) => bodies.map((body) => [body, keyword]);

describe('what a text says about texts', () => {
  it('is a keyword of carriers and law in all its spellings, and sure', () => {
    for (const [keyword, bodies] of Object.entries(KEYWORDS))
      expect(bodies.map((body) => [body, readConsent(body)])).toEqual(bodies.map((body) => [body, { keyword, sure: true }]));
  });

  it('is a revocation by any reasonable means, in English and in Spanish', () => {
    expect(STOP.map((body) => [body, read(body)])).toEqual(all(STOP, 'stop'));
    expect(STOP.filter((body) => readConsent(body)?.sure)).toEqual([]);
  });

  it('is consent where it clearly asks for texts', () => {
    expect(START.map((body) => [body, read(body)])).toEqual(all(START, 'start'));
  });

  it('is nothing where the words are about something else', () => {
    expect(['', '  ', '\n'].map(read)).toEqual([null, null, null]);
    expect(NEITHER.map((body) => [body, read(body)])).toEqual(all(NEITHER, null));
  });

  it('is not what the sender quotes, nor STOP about something else', () => {
    const bodies = [...QUOTED, ...ABOUT_ELSE];
    expect(bodies.map((body) => [body, read(body)])).toEqual(all(bodies, null));
    const loud = phrases(
      'who is this STOP | STOP i do not know you | I told you to STOP | Your texts must STOP | STOP sending me low glucose alerts | Please: STOP | I said: stop | STOP, ok? | STOP?! | At 10:30 STOP texting me | Dr. Lee: stop texting me | STOP, wait, what is this | STOP :D',
    );
    expect(loud.map((body) => [body, read(body)])).toEqual(all(loud, 'stop'));
  });

  it('is sure above a signature, and in whatever characters people see as the same', () => {
    expect(SIGNED.map((body) => [body, readConsent(body)])).toEqual(SIGNED.map((body) => [body, { keyword: 'stop', sure: true }]));
  });

  it('is no word that cancels while a question about a visit is open, but CANCEL itself', () => {
    const readAsAnswers = (bodies: readonly string[]) => bodies.map((body) => [body, readConsent(body, true)?.keyword ?? null]);
    expect(readAsAnswers(CANCELLING.stop)).toEqual(all(CANCELLING.stop, 'stop'));
    expect(readAsAnswers(CANCELLING.none)).toEqual(all(CANCELLING.none, null));
  });

  it('is the same in capitals, with blanks around it and with signs behind it', () => {
    const phrases = [...STOP.filter((body) => /\p{L}/u.test(body)), ...START];
    fc.assert(
      fc.property(fc.constantFrom(...phrases), fc.constantFrom('', ' ', '!', '.', '!!', ' …'), fc.boolean(), (body, tail, loud) => {
        expect(read(` ${loud && !/STOP\b.|.\bSTOP/.test(body) ? body.toUpperCase() : body}${tail}`)).toBe(read(body));
      }),
    );
  });

  it('is read of any text, in time that grows with its length alone', () => {
    fc.assert(fc.property(fc.string({ unit: codePoint }), (body) => readConsent(body) !== undefined));
    for (const long of ['stop ', 'no ', 'the ', 's.', 'text me ', 'dont ', '"', 'no quiero mas '])
      readConsent(long.repeat(10_000 / long.length));
    const [on, digits] = [' On'.repeat(130), '1 '.repeat(200)];
    const hostile = [
      `Y\n${'A'.repeat(1_500)}!`,
      `Y\n${'Aa-'.repeat(500)}!`,
      `stop ${'any more '.repeat(170)}`,
      `stop ${'all any these '.repeat(100)}x`,
      `${on}${digits}\n${'schrieb'.repeat(110)}`,
      `quitenme ${'de lista '.repeat(170)}x`,
      `no me manden ${'mas nada ya '.repeat(120)}x`,
      `remove me ${'please now asap '.repeat(90)}x`,
      `Liked "${'..."'.repeat(390)}x`,
      `${'“a'.repeat(400)}${'”'.repeat(400)}`,
      `STOP${'!'.repeat(1_500)}x`,
      `${'\t'.repeat(1_500)}x`,
    ];
    for (const body of hostile) readConsent(body, true);
  });
});
