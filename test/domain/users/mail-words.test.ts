import { describe, expect, it } from 'vitest';
import { FACTOR_MAILS } from '../../../src/domain/users/factor-words.ts';
import * as ACCOUNT_MAILS from '../../../src/domain/users/mail-words.ts';
import { LANGUAGES } from '../../../src/domain/values/languages.ts';

const WORDS = Object.entries({ ...ACCOUNT_MAILS, ...FACTOR_MAILS });

describe('the mails about accounts', () => {
  it.each(WORDS.flatMap(([name, words]) => LANGUAGES.map((language) => ({ name, words, language }))))(
    'begin each paragraph with a capital letter: $name in $language',
    ({ words, language }) => {
      const to = { userId: 1, firstName: 'Ada', email: 'ada@clinic.example', practiceName: 'Riverside', language };
      const { subject, body } = words[language](to);
      const paragraphs = [subject, ...body.split('\n\n')].filter((paragraph) => paragraph !== '{{url}}');
      expect(paragraphs.filter((paragraph) => !/^\p{Lu}/u.test(paragraph))).toEqual([]);
    },
  );
});
