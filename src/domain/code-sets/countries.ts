import countries from './data/countries.json' with { type: 'json' };

export interface Country {
  name: string;
  /** `US` */
  alpha2: string;
  /** `USA` */
  alpha3: string;
}

const BY_CODE = new Map<string, Country>(
  Object.entries(countries).flatMap(([alpha2, [alpha3 = '', name = '']]) => {
    const country = { name, alpha2, alpha3 };
    return [alpha2, alpha3].map((code): [string, Country] => [code, country]);
  }),
);

/** A country of ISO 3166-1 (all 249) by its code of two or three letters, in any case; else null. */
export const findCountry = (code: string): Country | null => BY_CODE.get(code.trim().toUpperCase()) ?? null;
