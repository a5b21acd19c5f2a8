-- table.sort of numbers, and of strings with a comparison function; the random numbers are our own, the same everywhere.
local state = 1
local function random()
    state = (state * 1103515245 + 12345) % 2147483648
    return state
end
local numbers = {}
for i = 1, 2000 do
    numbers[i] = random()
end
table.sort(numbers)
for i = 2, #numbers do
    assert(numbers[i - 1] <= numbers[i])
end
print(numbers[1], numbers[1000], numbers[2000])
local names = {}
for i = 1, 300 do
    names[i] = ("n%05d"):format(random() % 100000)
end
table.sort(names, function(a, b) return a > b end)
print(names[1], names[150], names[300])
