/**
 * Routes of the e-mail receivers of notices, and of the unsubscribe page.
 * Invariant: this file has only the route rows. The handlers are in emailanswers.ts and
 * unsubscribe.ts.
 */
import { EXAMPLE_END, EXAMPLE_REQUEST } from "../../openapi/examples.ts";
import { type ApiRoute, BODY_ERRORS, route } from "../route.ts";
import {
  changeEmail,
  createEmail,
  deleteEmail,
  listEmails,
  readEmailReceiver,
  testEmail,
} from "./emailanswers.ts";
import { EXAMPLE_EMAIL } from "./notice-examples.ts";
import { idOf, NOTICE_PAGE } from "./notices.ts";
import { showUnsubscribe, unsubscribe } from "./unsubscribe.ts";

const one = {
  description: "The receiver.",
  schema: "EmailAnswer",
  example: () => ({ ...EXAMPLE_REQUEST, email: EXAMPLE_EMAIL }),
} as const;

const emailId = idOf("id", "e-mail receiver", EXAMPLE_EMAIL.id);
const WRITE_ERRORS = [...BODY_ERRORS, "invalid_request", "overloaded"] as const;
const READ_ERRORS = ["not_found", "overloaded"] as const;
const { address, language } = EXAMPLE_EMAIL;

/** Body types of a POST by a mail program (RFC 8058) and by a form. The content is ignored. */
const FORMS = ["application/x-www-form-urlencoded", "multipart/form-data"].map((type) => ({
  ...{ type, bytesMax: 4_096 },
  begin: () => ({ add: () => {} }),
}));

/** Routes of e-mail receivers. */
export const EMAIL_ROUTES: readonly ApiRoute[] = [
  route({
    method: "POST",
    path: "/v1/emails",
    access: "key",
    ...{ id: "createEmail", tag: "notices", summary: "Send notices by e-mail" },
    description:
      "Names one address that gets each notice as an e-mail, with counts, the first ten " +
      "companies, and a link. Its reader can end the e-mails without an account. Webhooks and " +
      "e-mail receivers count together against the plan.",
    body: { schema: "EmailRequest", example: { address, language } },
    answers: { 201: { ...one, headers: ["Location"] } },
    errors: [...WRITE_ERRORS, "plan_not_allowed"],
    handle: createEmail,
  }),
  route({
    method: "GET",
    path: "/v1/emails",
    access: "key",
    ...{ id: "listEmails", tag: "notices", summary: "List the e-mail receivers" },
    description: "Newest first, with their health.",
    parameters: NOTICE_PAGE,
    answers: {
      200: {
        description: "One page.",
        schema: "Emails",
        example: () => ({ emails: [EXAMPLE_EMAIL], ...EXAMPLE_END }),
        sometimes: ["Link"],
      },
    },
    errors: ["invalid_cursor", "overloaded"],
    handle: listEmails,
  }),
  route({
    method: "GET",
    path: "/v1/emails/{id}",
    access: "key",
    ...{ id: "readEmail", tag: "notices", summary: "Read one e-mail receiver" },
    description: "Its options, since when it fails, and why it is disabled.",
    parameters: [emailId],
    answers: { 200: one },
    errors: READ_ERRORS,
    handle: readEmailReceiver,
  }),
  route({
    method: "PATCH",
    path: "/v1/emails/{id}",
    access: "key",
    ...{ id: "changeEmail", tag: "notices", summary: "Change an e-mail receiver" },
    description:
      "Only the members that are sent change; the address never does. A disabled receiver keeps " +
      "its queue, and enabled true begins that again, except after its reader has unsubscribed.",
    parameters: [emailId],
    body: { schema: "EmailPatch", example: { language: "en" } },
    answers: { 200: one },
    errors: ["not_found", ...WRITE_ERRORS],
    handle: changeEmail,
  }),
  route({
    method: "DELETE",
    path: "/v1/emails/{id}",
    access: "key",
    ...{ id: "deleteEmail", tag: "notices", summary: "Delete an e-mail receiver" },
    description: "Its queue goes with it.",
    parameters: [emailId],
    answers: { 204: { description: "It is gone.", schema: null, types: [] } },
    errors: READ_ERRORS,
    handle: deleteEmail,
  }),
  route({
    method: "POST",
    path: "/v1/emails/{id}/test",
    access: "key",
    bodyless: true,
    sheds: "first",
    ...{ id: "testEmail", tag: "notices", summary: "Send a test e-mail" },
    description:
      "Sends an e-mail without companies once, and answers when the mail server has taken or " +
      "refused it, after two minutes at the latest.",
    parameters: [emailId],
    answers: {
      200: {
        description: "The outcome.",
        schema: "EmailTest",
        example: () => ({
          ...EXAMPLE_REQUEST,
          test: {
            ...{ id: "tst_0123456789abcdef0123456789abcdef", delivered: true, status: 250 },
            ...{ duration_ms: 420, error: null },
          },
        }),
      },
    },
    errors: ["not_found", ...WRITE_ERRORS],
    handle: testEmail,
  }),
  {
    ...{ method: "GET", path: "/unsubscribe/{token}", access: "open", unlisted: "page" },
    handle: showUnsubscribe,
  },
  {
    ...{ method: "POST", path: "/unsubscribe/{token}", access: "open", unlisted: "page" },
    ...{ query: ["again"], bodyless: true, pieces: FORMS },
    handle: unsubscribe,
  },
];
