/** Two-letter codes of the US Postal Service (Publication 28): the states, the capital, territories, freely associated states and the armed forces. */
const NAMES = new Map(
  Object.entries({
    AL: 'Alabama',
    AK: 'Alaska',
    AZ: 'Arizona',
    AR: 'Arkansas',
    CA: 'California',
    CO: 'Colorado',
    CT: 'Connecticut',
    DE: 'Delaware',
    FL: 'Florida',
    GA: 'Georgia',
    HI: 'Hawaii',
    ID: 'Idaho',
    IL: 'Illinois',
    IN: 'Indiana',
    IA: 'Iowa',
    KS: 'Kansas',
    KY: 'Kentucky',
    LA: 'Louisiana',
    ME: 'Maine',
    MD: 'Maryland',
    MA: 'Massachusetts',
    MI: 'Michigan',
    MN: 'Minnesota',
    MS: 'Mississippi',
    MO: 'Missouri',
    MT: 'Montana',
    NE: 'Nebraska',
    NV: 'Nevada',
    NH: 'New Hampshire',
    NJ: 'New Jersey',
    NM: 'New Mexico',
    NY: 'New York',
    NC: 'North Carolina',
    ND: 'North Dakota',
    OH: 'Ohio',
    OK: 'Oklahoma',
    OR: 'Oregon',
    PA: 'Pennsylvania',
    RI: 'Rhode Island',
    SC: 'South Carolina',
    SD: 'South Dakota',
    TN: 'Tennessee',
    TX: 'Texas',
    UT: 'Utah',
    VT: 'Vermont',
    VA: 'Virginia',
    WA: 'Washington',
    WV: 'West Virginia',
    WI: 'Wisconsin',
    WY: 'Wyoming',
    DC: 'District of Columbia',
    AS: 'American Samoa',
    GU: 'Guam',
    MP: 'Northern Mariana Islands',
    PR: 'Puerto Rico',
    VI: 'Virgin Islands',
    FM: 'Federated States of Micronesia',
    MH: 'Marshall Islands',
    PW: 'Palau',
    AA: 'Armed Forces Americas',
    AE: 'Armed Forces Europe',
    AP: 'Armed Forces Pacific',
  }),
);

/** All codes, in the order of the publication. */
export const STATE_CODES: readonly string[] = [...NAMES.keys()];

/** Names beside the official ones that people write. */
const OTHER_NAMES = { WASHINGTONDC: 'DC', USVIRGINISLANDS: 'VI', MICRONESIA: 'FM', REPUBLICOFPALAU: 'PW', COMMONWEALTHOFPUERTORICO: 'PR' };

const keepLetters = (written: string) => written.toUpperCase().replaceAll(/[^A-Z]/g, '');

const CODES = new Map([
  ...[...NAMES].flatMap(([code, name]): [string, string][] => [
    [code, code],
    [keepLetters(name), code],
  ]),
  ...Object.entries(OTHER_NAMES),
]);

/** Latin letters, blanks and the signs of an abbreviation: with anything else, a text is no state. */
const WRITTEN = /^[A-Za-z .,'-]+$/;

/** The two letters of a state or territory that is written as such (`ny`, `N.Y.`) or by its name, in any case; else null. */
export const readState = (written: string): string | null => (WRITTEN.test(written) ? (CODES.get(keepLetters(written)) ?? null) : null);
