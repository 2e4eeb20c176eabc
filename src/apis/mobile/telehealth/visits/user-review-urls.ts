import { findReviewUrl, listReviewedUsers, listReviewUrls } from '../../../../domain/telehealth/visits/review-urls.ts';
import type { Endpoints } from '../../../../http/endpoints/declare-endpoints.ts';
import { writePage } from '../../shared.wire.ts';
import {
  fromReviewedUser,
  fromReviewUrl,
  ReviewedUserList,
  ReviewUrlList,
  ReviewUrlResponse,
  reviewedUsersQuery,
  reviewUrlParams,
  reviewUrlsQuery,
  toReviewedSort,
} from './user-review-urls.wire.ts';

export function userReviewUrlRoutes(endpoints: Endpoints): void {
  const { get } = endpoints.group({ tag: 'Review URLs' });
  get('/user-review-url/', {
    operationId: 'listUserReviewUrls',
    summary: 'List the review URLs of users',
    description: 'Review URLs of the active users of the organization, sorted by id.',
    query: reviewUrlsQuery,
    response: ReviewUrlList,
    handle: async ({ tx, query, request }) => writePage(request, await listReviewUrls(tx, query), fromReviewUrl),
  });

  get('/user-review-url/listUsersWithReviewUrl', {
    operationId: 'listUsersWithReviewUrl',
    summary: 'List users who have review URLs',
    description: 'Active users of the organization, each with all of their review URLs.',
    query: reviewedUsersQuery,
    response: ReviewedUserList,
    handle: async ({ tx, query, request }) =>
      writePage(request, await listReviewedUsers(tx, toReviewedSort(query), query), fromReviewedUser),
  });

  get('/user-review-url/:uuid', {
    operationId: 'getUserReviewUrl',
    summary: 'Read a review URL of a user',
    description: 'Includes review URLs of former users.',
    params: reviewUrlParams,
    response: ReviewUrlResponse,
    etag: true,
    handle: async ({ tx, params }) => ({ data: fromReviewUrl(await findReviewUrl(tx, params.uuid)) }),
  });
}
