-- Floating point: formatting and reading back; sine to logarithm, much of which the C library leaves to x87 instructions.
for _, x in ipairs { 0.1, 1 / 3, 1e100, 5e-324, 123456789.125, 2 ^ 53, -0.0, math.pi } do
    print(("%.14g %.17g %a %10.3f %e"):format(x, x, x, x < 1e20 and x or 0, x))
    assert(tonumber(("%.17g"):format(x)) == x)
end
print(1 / 0, -1 / 0, math.huge // 1)
for i = 1, 5 do
    print(("%.12f %.12f %.12f %.12f"):format(math.sin(i), math.cos(i), math.sqrt(i), math.exp(-i)))
    print(("%.12f %.12f %.12f"):format(math.log(i), math.fmod(i * 7.5, 2.25), i ^ 0.7))
end
print(7 // 2, 7.5 // 2, -7.5 % 2, math.floor(-2.5), math.ceil(-2.5), math.tointeger(8.0), 1e15, 2 ^ 63)
