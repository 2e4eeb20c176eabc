import type { Caller } from '../../caller.ts';
import type { Tx } from '../../tx.ts';
import { type InEachLanguage, isLanguage, type Language } from '../../values/languages.ts';
import { countCharacters } from '../../values/text-form.ts';
import type { RecipientLanguage } from '../recipients/recipient-language.ts';
import { CATEGORIES, type CategoryName } from './categories.ts';
import { findOwnWords, nameToGuardian, patientToGuardian } from './guardian-words.ts';
import { nameInSubject } from './placeholder-values.ts';
import { renderTemplate } from './placeholders.ts';
import type { SecretPlaceholders } from './sealed-placeholders.ts';
import { MAX_TEXT_LENGTH } from './sms-segments.ts';
import { type RenderedTemplate, renderWording, type ValuesIn } from './template-values.ts';
import { chooseWording, isSendable, type Wording } from './template-wordings.ts';
import { findActiveTemplate, type SmsTemplate } from './templates.ts';

/** The recipient and the values of a text. */
export interface TextOccasion {
  language: RecipientLanguage;
  values: ValuesIn;
  /** Values that are filled in when the text is sent; they count for its length. */
  secrets?: SecretPlaceholders;
  /** A sentence that is added at the end. */
  addition?: InEachLanguage | undefined;
  /** There is something to ask about, where the words ask. */
  mayAsk?: boolean;
}

export interface AutomaticText {
  body: string;
  language: string;
  /** Undefined for the server's own words. */
  templateId: number | undefined;
  /** It asks for a yes or no. */
  asks: boolean;
}

/** The text of a category: the active template in the recipient's language, else the practice's, else the server's own words. */
export async function renderAutomaticText(tx: Tx, name: CategoryName, occasion: TextOccasion): Promise<AutomaticText> {
  return renderFrom(await findActiveTemplate(tx, name), tx, name, occasion);
}

/**
 * As renderAutomaticText, with the active template. The server's own words take its place where it lacks what the category needs, has a
 * placeholder without a value other than a name, or is too long.
 */
export function renderFrom(template: SmsTemplate | null, caller: Caller, name: CategoryName, occasion: TextOccasion): AutomaticText {
  const { mayAsk = false, language: recipient } = occasion;
  const category = CATEGORIES[name];
  const tracksResponse = mayAsk && category.mayAsk && template?.tracksResponse === true;
  const wording = template && chooseWording(template, recipient);
  const rendered = wording && renderUsable(wording, name, occasion, tracksResponse);
  const asks = rendered ? tracksResponse : mayAsk && category.asks === true;
  const own = { language: recipient.own, body: findOwnWords(name, recipient).text[recipient.own] };
  const { text, language } = rendered ?? renderWording(own, { tracksResponse: asks }, withSecrets(occasion), recipient);
  warnOfMissingWording(caller, recipient, language);
  return { body: withAddition(text, language, occasion), language, templateId: rendered ? template?.id : undefined, asks };
}

/** Names the language of the patient in which there is no wording, for the header Warning-Fields: `template.variants.vi`. */
export function warnOfMissingWording({ journal }: Caller, { patient }: RecipientLanguage, language: string): void {
  if (patient !== null && patient !== language) journal.warnings.push(`template.variants.${patient}`);
}

/** Placeholders of secrets stay in the text until it is sent. A guardian reads of the patient by one name. */
const withSecrets =
  ({ values, secrets = {}, language }: TextOccasion): ValuesIn =>
  (written) => {
    const patient = patientToGuardian(language, written.tag);
    const hidden = Object.fromEntries(Object.keys(secrets).map((name) => [name, `{{${name}}}`]));
    return { ...values(written), ...(patient === null ? {} : { 'first name': patient }), ...hidden };
  };

const NAMES = ['first name', 'last name'];

/** Null for a text that must not be sent so. */
function renderUsable(wording: Wording, name: CategoryName, occasion: TextOccasion, tracksResponse: boolean): RenderedTemplate | null {
  if (!isSendable(wording, CATEGORIES[name])) return null;
  const { text, ...written } = renderWording(wording, { tracksResponse }, withSecrets(occasion), occasion.language);
  const rendered = { ...written, text: nameToGuardian(text, occasion.language, written.language) };
  const { url = '', code = '' } = occasion.secrets ?? {};
  const whole = withAddition(rendered.text, rendered.language, occasion)
    .replaceAll('{{url}}', () => url)
    .replaceAll('{{code}}', () => code);
  const linkBehind = rendered.text.includes('{{url}}') ? 0 : url.length + 1;
  const isWhole = rendered.missing.every((placeholder) => NAMES.includes(placeholder));
  return isWhole && whole.trim() !== '' && countCharacters(whole) + linkBehind <= MAX_TEXT_LENGTH ? rendered : null;
}

const toLanguage = (tag: string): Language => (isLanguage(tag) ? tag : 'en');

const withAddition = (text: string, language: string, { addition }: TextOccasion): string =>
  addition ? `${text} ${addition[toLanguage(language)]}` : text;

export interface AutomaticMail {
  subject: string;
  body: string;
}

/** The mail of a category, in the server's own words. @param text the body where the category has no words for mails alone */
export function renderAutomaticMail(name: CategoryName, occasion: TextOccasion, text = ''): AutomaticMail {
  const { own, zone } = occasion.language;
  const { mail } = findOwnWords(name, occasion.language);
  if (!mail) throw new RangeError('a category that is sent only as a text');
  const values = withSecrets(occasion)({ tag: own, patientZone: zone });
  const practice = { 'org name': nameInSubject(values['org name'] ?? '') };
  const subject = renderTemplate(mail.subject[own], practice).text;
  if (mail.body === null) return { subject, body: text };
  return { subject, body: `${withAddition(renderTemplate(mail.body[own], values).text, own, occasion)}\n` };
}
