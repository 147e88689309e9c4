// @ts-check
// Loaded after kit.js.

for (const form of document.forms) makeFilter(form);
begin();
