import type { InEachLanguage } from '../../../domain/values/languages.ts';
import { html } from '../../html.ts';

const en = {
  expired: 'This message has expired',
  /** Markup, as all that `call` and `to` are part of. */
  timeIsOver: (call: string) => html`The message can no longer be opened. If you still need it, please !${call}.`,
  message: (practice: string) => `A message from ${practice}`,
  from: (sender: string) => html`From <bdi>${sender}</bdi>`,
  files: (count: number): string => (count === 1 ? 'File' : 'Files'),
  until: (when: string) => `You can open this message until ${when}.`,
  locked: 'You have a message',
  enterCode: 'Enter your code',
  keptPrivate: 'To keep it private, you need a code that we send you.',
  sixDigits: 'The code has six digits. Please type it again.',
  wrongCode: (left: number) => `That was not the right code. You can try ${left === 1 ? 'once more' : `${left} more times`}.`,
  tooManyWrong: 'Too many wrong codes were entered, so the code that we sent no longer works.',
  tooOld: 'The code that we sent is too old.',
  askForAnother: 'Please ask for another one.',
  sent: (to: string, minutes: number) => html`We sent a six-digit code to <strong>${to}</strong>. It works for ${minutes} minutes.`,
  code: 'Code',
  open: 'Open the message',
  /** Which code is expected, beside the browser's own words. */
  expected: 'Six digits',
  cannotSend: (call: string) => html`We cannot send you a code. Please !${call}, and we will help you.`,
  atMost: (codes: number, when: string) => `We send at most ${codes} codes within an hour. You can ask for another one from ${when} on.`,
  willSend: (to: string) => html`We will send it to <strong>${to}</strong>.`,
  noCode: 'No code?',
  noneCame: (call: string) => html`It may take a minute. If no code arrives, please !${call}.`,
  sendCode: 'Send me the code',
  sendAnother: 'Send me another code',
};

export type MessageWords = typeof en;

const es: MessageWords = {
  expired: 'Este mensaje ha vencido',
  timeIsOver: (call) => html`Ya pasó el plazo para abrirlo. Si todavía lo necesita, !${call}.`,
  message: (practice) => `Un mensaje de ${practice}`,
  from: (sender) => html`De <bdi>${sender}</bdi>`,
  files: (count) => (count === 1 ? 'Archivo' : 'Archivos'),
  until: (when) => `Puede abrir este mensaje hasta el ${when}.`,
  locked: 'Tiene un mensaje',
  enterCode: 'Escriba su código',
  keptPrivate: 'Para proteger su privacidad, se abre con un código que le enviamos.',
  sixDigits: 'El código tiene seis cifras. Escríbalo de nuevo.',
  wrongCode: (left) => `Ese no era el código correcto. Puede intentarlo ${left === 1 ? 'una vez más' : `${left} veces más`}.`,
  tooManyWrong: 'Se escribieron demasiados códigos incorrectos: el que le enviamos ya no sirve.',
  tooOld: 'El código que le enviamos ya venció.',
  askForAnother: 'Pida otro.',
  sent: (to, minutes) => html`Enviamos un código de seis cifras a <strong>${to}</strong>. Sirve durante ${minutes} minutos.`,
  code: 'Código',
  open: 'Abrir el mensaje',
  expected: 'Seis cifras',
  cannotSend: (call) => html`No podemos enviarle un código. Para recibir ayuda, !${call}.`,
  atMost: (codes, when) => `Enviamos como máximo ${codes} códigos por hora. Puede pedir otro a partir del ${when}.`,
  willSend: (to) => html`Lo enviaremos a <strong>${to}</strong>.`,
  noCode: '¿No recibió el código?',
  noneCame: (call) => html`Puede tardar un minuto. Si no llega, !${call}.`,
  sendCode: 'Enviarme el código',
  sendAnother: 'Enviarme otro código',
};

export const MESSAGE_WORDS: InEachLanguage<MessageWords> = { en, es };
