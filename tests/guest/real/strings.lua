-- String operations: patterns, gsub with a function, concatenation, upper and lower case, bytes.
local words = {}
for word in ("the quick brown fox jumps over the lazy dog"):gmatch("%a+") do
    words[#words + 1] = word:sub(1, 1):upper() .. word:sub(2)
end
print(table.concat(words, " "))
local text = table.concat(words, ","):rep(50, ";")
print(#text, select(2, text:gsub("o", "0")), text:find("Fox,Jumps", 100, true))
print((text:sub(1, 60):gsub("%u", function(c) return "<" .. c:lower() .. ">" end)))
local sum = 0
for i = 1, #text do
    sum = (sum * 31 + text:byte(i)) % 4294967296
end
print(sum, ("%q"):format("a\n\0b"), ("x"):rep(3, "-"))
