/** Capitalises text, such as "more than 10,000 keys", for the start of a sentence. */
export const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
