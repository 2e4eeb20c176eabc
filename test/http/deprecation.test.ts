import { expect, it } from 'vitest';
import { deprecationHeaders } from '../../src/http/endpoints/deprecation.ts';

it('a deprecated operation says since when, until when, and where to read about it', () => {
  expect(deprecationHeaders({ since: '2027-03-01', sunset: '2028-03-01' })).toEqual({
    deprecation: '@1803859200',
    sunset: 'Wed, 01 Mar 2028 00:00:00 GMT',
    link: '</docs/versions>; rel="deprecation"; type="text/html"',
  });
});
