/**
 * Gender identity and sexual orientation, in the strings of the 2015 Edition of certified health IT and in plain ones.
 *
 * The concepts and their codes are those of 45 CFR 170.207(o)(1) and (o)(2): SNOMED CT, and null flavors of HL7 Version 3
 * for what is no concept. The strings are those that practice systems of this style show, and for sexual orientation those
 * of the regulation; the plain ones of sexual orientation are those of HRSA's Uniform Data System, table 3B.
 */
export interface CertifiedTerm {
  /** SNOMED CT, or a null flavor (OTH, UNK, ASKU). */
  code: string;
  system: 'SNOMED' | 'NullFlavor';
  /** The label that software certified to the ONC 2015 Edition shows. */
  certified: string;
  /** The label for other software. */
  plain: string;
  /** Other spellings that a chart may hold: of the regulation, of SNOMED CT, of later editions. */
  aliases: readonly string[];
}

export const GENDER_IDENTITIES = [
  {
    code: '446151000124109',
    system: 'SNOMED',
    certified: 'Identifies as Male',
    plain: 'Male',
    aliases: ['Identifies as male gender', 'Man', 'M'],
  },
  {
    code: '446141000124107',
    system: 'SNOMED',
    certified: 'Identifies as Female',
    plain: 'Female',
    aliases: ['Identifies as female gender', 'Woman', 'F'],
  },
  {
    code: '407377005',
    system: 'SNOMED',
    certified: 'Transgender Male/Female-to-Male (FTM)',
    plain: 'Transgender male',
    aliases: ['Female-to-Male (FTM)/Transgender Male/Trans Man', 'Female-to-male transsexual', 'Transgender man', 'Trans man', 'FTM'],
  },
  {
    code: '407376001',
    system: 'SNOMED',
    certified: 'Transgender Female/Male-to-Female (MTF)',
    plain: 'Transgender female',
    aliases: [
      'Male-to-Female (MTF)/Transgender Female/Trans Woman',
      'Male-to-female transsexual',
      'Transgender woman',
      'Trans woman',
      'MTF',
    ],
  },
  {
    code: '446131000124102',
    system: 'SNOMED',
    certified: 'Gender non-conforming (neither exclusively male nor female)',
    plain: 'Genderqueer (neither exclusively male nor female)',
    aliases: [
      'Genderqueer, neither exclusively male nor female',
      'Identifies as non-conforming gender',
      'Identifies as gender nonbinary',
      'Non-binary gender identity',
      'Genderqueer',
      'Gender non-conforming',
      'Nonbinary',
    ],
  },
  {
    code: 'OTH',
    system: 'NullFlavor',
    certified: 'Additional gender category / other, please specify',
    plain: 'Additional gender category or other',
    aliases: ['Additional gender category or other, please specify', 'Additional gender category (or other), please specify', 'Other'],
  },
  {
    code: 'ASKU',
    system: 'NullFlavor',
    certified: 'Choose not to disclose',
    plain: 'Choose not to disclose',
    aliases: ['Chooses not to disclose', 'Chose not to disclose', 'Declined', 'Asked but unknown'],
  },
] as const satisfies readonly CertifiedTerm[];

export const SEXUAL_ORIENTATIONS = [
  {
    code: '38628009',
    system: 'SNOMED',
    certified: 'Lesbian, gay or homosexual',
    plain: 'Lesbian or gay',
    aliases: ['Homosexual', 'Lesbian', 'Gay'],
  },
  {
    code: '20430005',
    system: 'SNOMED',
    certified: 'Straight or heterosexual',
    plain: 'Straight (not lesbian or gay)',
    aliases: ['Heterosexual', 'Straight'],
  },
  { code: '42035005', system: 'SNOMED', certified: 'Bisexual', plain: 'Bisexual', aliases: [] },
  {
    code: 'OTH',
    system: 'NullFlavor',
    certified: 'Something else, please describe',
    plain: 'Something else',
    aliases: ['Other'],
  },
  { code: 'UNK', system: 'NullFlavor', certified: "Don't know", plain: "Don't know", aliases: ['Do not know', 'Unknown'] },
  {
    code: 'ASKU',
    system: 'NullFlavor',
    certified: 'Choose not to disclose',
    plain: 'Choose not to disclose',
    aliases: ['Chooses not to disclose', 'Chose not to disclose', 'Declined', 'Asked but unknown'],
  },
] as const satisfies readonly CertifiedTerm[];

/** The set of strings to show: those of the 2015 Edition, or short ones. */
export type Edition = 'certified' | 'plain';

/** Letters and digits alone: a chart may differ from the set in case, punctuation, quotes or spaces. */
const foldTerm = (text: string) => text.toLowerCase().replaceAll(/[^\p{Letter}\p{Number}]+/gu, '');

/** Finds a term by its code or any of its spellings. */
function finder(terms: readonly CertifiedTerm[]) {
  const spelled = terms.flatMap((term) =>
    [term.code, term.certified, term.plain, ...term.aliases].map((spelling) => [spelling, term] as const),
  );
  // Nearly all charts have a spelling of the set, letter by letter: lists of thousands are not folded.
  const exact = new Map<string, CertifiedTerm>(spelled);
  const alike = new Map<string, CertifiedTerm>(spelled.map(([spelling, term]) => [foldTerm(spelling), term]));
  return (written: string) => exact.get(written) ?? alike.get(foldTerm(written));
}

const genderIdentity = finder(GENDER_IDENTITIES);
const sexualOrientation = finder(SEXUAL_ORIENTATIONS);

const createFindShown = (find: typeof genderIdentity) => (stored: string | null, edition: Edition) =>
  stored === null ? null : (find(stored)?.[edition] ?? stored);

/** A gender identity as a chart holds it, in the strings of an edition. What is in neither set stays as it is. */
export const genderIdentityIn = createFindShown(genderIdentity);

/** The same for a sexual orientation. */
export const sexualOrientationIn = createFindShown(sexualOrientation);

/** Whether a text is one of the terms, in any of its spellings. */
export const isGenderIdentity = (written: string): boolean => genderIdentity(written) !== undefined;

/** The same for a sexual orientation. */
export const isSexualOrientation = (written: string): boolean => sexualOrientation(written) !== undefined;
