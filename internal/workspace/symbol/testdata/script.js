'use strict';
function* gen() {}
class A { #p = 1; m() {} static async n() {} }
module.exports = { A };
const obj = { method() {}, arrow: () => 1 };
export default class extends A {}
export const h = async () => {
  await 1;
};
var v = 1;
