// I13, I14 and I20: owners, single-use tokens, and emails.
import { type Check, Findings, groupsOf, isOk, mayBeDone, opsOf } from '../history.ts';

export const I13: Check = (history) => {
  const found = new Findings();
  for (const { body } of opsOf(history, 'member.list').filter(isOk)) {
    const members = Array.isArray(body.data) ? body.data : [];
    const owners = members.filter((member) => Object(member).role === 'owner');
    found.expect(owners.length > 0, () => 'a workspace with members has no owner');
  }
  return found;
};

export const I14: Check = (history) => {
  const found = new Findings();
  const consumed = groupsOf(opsOf(history, 'reset.consume'), ({ args }) => String(args.token));
  for (const [token, each] of consumed) {
    const winners = each.filter(isOk);
    found.expect(winners.length <= 1, () => `the token ${token} was used ${winners.length} times`);
  }
  const uses = opsOf(history, 'session.use').filter(isOk);
  for (const reset of opsOf(history, 'reset.consume').filter(isOk)) {
    const older = uses.filter(
      ({ args, t0 }) =>
        args.user === reset.args.user && t0 > reset.t1 && Number(args.since) < reset.t0,
    );
    found.expect(older.length === 0, () => `a session of ${reset.args.user} outlived a reset`);
  }
  return found;
};

export const I20: Check = (history) => {
  const found = new Findings();
  const mails = groupsOf(history.mails, ({ to }) => to);
  for (const [email, each] of groupsOf(opsOf(history, 'signup'), ({ args }) =>
    String(args.email),
  )) {
    const sent = new Set((mails.get(email) ?? []).map(({ id }) => id)).size;
    const sure = each.filter(isOk).length;
    const most = each.filter(mayBeDone).length;
    found.expect(
      sent >= sure && sent <= most,
      () => `${email} has ${sent} emails after ${sure} to ${most} sign-ups`,
    );
  }
  const resent = groupsOf(
    opsOf(history, 'mail.resend').filter(isOk),
    ({ args }) => `${args.email}`,
  );
  for (const email of resent.keys()) {
    const sent = (mails.get(email) ?? []).filter(({ kind }) => kind === 'verify_email').length;
    found.expect(sent === 1, () => `the verified ${email} has ${sent} verification emails`);
  }
  return found;
};
