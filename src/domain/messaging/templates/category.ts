import type { InEachLanguage } from '../../values/languages.ts';
import { PLACEHOLDERS, type PlaceholderName } from './placeholders.ts';

/** The server's own words. */
export interface OwnWords {
  text: InEachLanguage;
  /** Null where it is sent as a text alone. */
  mail: MailWording | null;
}

/** A kind of text that the server sends by itself. */
export interface Category extends OwnWords {
  description: string;
  /** Placeholders without which a text of the category is of no use. */
  needs: readonly PlaceholderName[];
  /** Placeholders that can have a value; some have none for each patient or appointment. */
  values: readonly PlaceholderName[];
  /** Its texts may ask for a yes or no. */
  mayAsk: boolean;
  /** The server's own words ask for one too. */
  asks?: true;
  /** To the guardian of a patient, whose name is {{first name}}; absent where they name no patient. */
  toGuardian?: OwnWords;
}

/** Subject and body of a mail. Placeholders are filled in as in a text. */
export interface MailWording {
  subject: InEachLanguage;
  /** Null: the words of the text. */
  body: InEachLanguage | null;
}

const PRACTICE = ['org name', 'org phone number'] as const;
export const OF_PRACTICE: readonly PlaceholderName[] = PRACTICE;
export const OF_PERSON: readonly PlaceholderName[] = ['first name', 'last name', ...PRACTICE];
export const OF_APPOINTMENT: readonly PlaceholderName[] = PLACEHOLDERS.filter((name) => name !== 'url' && name !== 'review url');
