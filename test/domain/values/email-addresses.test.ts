import { describe, expect, it } from 'vitest';
import { isEmail } from '../../../src/domain/values/email-addresses.ts';

describe('a mail address', () => {
  it.each([
    'ana@example.com',
    "o'brien+clinic@mail.example.co.uk",
    '!#$%&*/=?^_`{|}~-@example.org',
    '"ana maria"@example.com',
    '"a\\"b"@example.com',
    'josé@example.com',
    'ana@münchen.de',
    'ana@xn--mnchen-3ya.de',
    '用户@例子.广告',
    'a@b-c.museum',
    `${'a'.repeat(64)}@example.com`,
  ])('may be %s', (address) => expect(isEmail(address)).toBe(true));

  it.each([
    '',
    'ana',
    '@example.com',
    'ana@',
    'ana@localhost',
    'ana@example',
    'ana@example..com',
    'ana@-example.com',
    'ana@example.com.',
    'ana@127.0.0.1',
    'ana@[127.0.0.1]',
    '.ana@example.com',
    'ana.@example.com',
    'a..b@example.com',
    'ana maria@example.com',
    'ana@exam ple.com',
    'ana@example.com, bob@example.com',
    'Ana <ana@example.com>',
    'ana@evil.com@example.com',
    '"ana@evil.com"@example.com',
    '"ana\nbcc: bob"@example.com',
    'ana\u{200b}@example.com',
    `${'a'.repeat(65)}@example.com`,
    `ana@${'a'.repeat(64)}.com`,
    `ana@${'abcdefgh.'.repeat(30)}com`,
  ])('is not %j', (address) => expect(isEmail(address)).toBe(false));
});
