export const texts = {
  title: 'Reset your password',
  lead: 'A mail with a link lets you choose a new one.',
  email: 'E-mail address',
  action: 'Send the link',
  sentTitle: 'Check your mail',
  sentText: (email: string) =>
    `If ${email} has an account, a mail with a link is on its way. It works once.`,
  mailFiles:
    'This server writes its mail to files and sends none. Look in the folder mail of its data directory.',
  back: 'Back to sign in',
};
